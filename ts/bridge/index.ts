export { type Answer, type Encoded, Engine } from './engine'
export { StepContext, type StepLog } from './context'
export { loadNative } from './load'
export type { FlowCode, LogLevel, LogSink, NodeOutline, StepFunction, WorkerCode } from './work'
