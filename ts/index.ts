import type * as contract from '../index'
import { Pawl } from './client'
import { NonRetryableError, PawlError, RetryAfterError } from './errors'
import * as building from './flow'
import { Worker } from './worker'

// The builder's types say what comes out of what goes in; at run time it only collects. The casts are where the two meet.
const flow = building.flow as unknown as typeof contract.flow
const task = building.task as unknown as typeof contract.task

export { flow, NonRetryableError, Pawl, PawlError, RetryAfterError, task, Worker }
