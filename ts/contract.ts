/**
 * Types only: holds the implementation against `index.d.ts`, the reviewed contract. A mismatch is an error of the compiler
 * on one of these lines. `Pawl`, `RunHandle`, `RunPage` and `Worker` say so themselves with `implements`.
 */

import type * as contract from '../index'
import type { StepContext } from './bridge'
import type { ErrorCode, NonRetryableError, PawlError, PawlErrorOptions, RetryAfterError, RunOfError } from './errors'
import type { Builder, Flow, Problem, Task } from './flow'
import type * as implementation from './index'

type Fits<Implementation extends Contract, Contract> = Implementation
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Holds<T extends true> = T

type Methods<Of> = { readonly [Name in Extract<keyof Of, string>]: (...args: never) => unknown }

export type Checks = [
  Holds<Same<keyof typeof implementation, keyof typeof contract>>,
  Holds<Same<ErrorCode, contract.PawlErrorCode>>,
  Fits<PawlError, contract.PawlError>,
  Fits<RunOfError, contract.RunOfError>,
  Fits<Problem, contract.FlowProblem>,
  Fits<NonNullable<PawlErrorOptions['problems']>, readonly contract.FlowProblem[]>,
  Fits<NonRetryableError, contract.NonRetryableError>,
  Fits<RetryAfterError, contract.RetryAfterError>,
  Fits<typeof implementation.Pawl.connect, typeof contract.Pawl.connect>,
  Fits<typeof implementation.PawlError.is, (value: unknown) => boolean>,
  Fits<new (pawl: contract.Pawl, options: contract.WorkerOptions) => contract.Worker, typeof contract.Worker>,
  Fits<typeof implementation.Worker, typeof contract.Worker>,
  Fits<Builder, Methods<contract.ForkBuilder<unknown, unknown, object>>>,
  Fits<Omit<Flow, symbol>, Omit<contract.Flow, symbol>>,
  Fits<Pick<Task, 'name' | 'options'>, Pick<contract.Task, 'name' | 'options'>>,
  Fits<Omit<StepContext, 'output'>, Omit<contract.Context, 'output'>>,
  Fits<StepContext['output'], (name: string) => Promise<unknown>>,
]
