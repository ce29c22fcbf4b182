export { Builder, flow } from './builder'
export type { Definition, Problem } from './definition'
export { Flow, type FlowParts, flowArgument, isFlow, partsOf } from './flow'
export { Task, task } from './task'
