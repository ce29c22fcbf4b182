export { attributed } from './attributed'
export { codeOf, type Connection, definitionsOf } from './connection'
export { type Log, logOption, sinkOf, warn } from './log'
export { connectionOf, Pawl } from './pawl'
