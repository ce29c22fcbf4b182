// One implementation for both module systems: an ESM import and a CommonJS require share the same classes.
import pawl from './dist/index.js'

export const { flow, NonRetryableError, Pawl, PawlError, RetryAfterError, task, Worker } = pawl
