import type { Schema } from '../schema'
import type { StepContext } from './context'

/** A user's function behind a node. */
export type StepFunction = (input: unknown, ctx: StepContext) => unknown

/** What the bridge needs to know of a node: the same flat list that the native side gets as the definition. */
export interface NodeOutline {
  readonly scope: string
  readonly name: string
  /** The names of a fork's branches. */
  readonly branches?: readonly string[]
}

/** A flow as a worker runs it: `functions[i]` is the function of `nodes[i]`, if that node runs one. */
export interface FlowCode {
  readonly name: string
  readonly nodes: readonly NodeOutline[]
  readonly functions: readonly (StepFunction | undefined)[]
  /** What the output of `nodes[i]` must fit. Not there if no node has such a schema. */
  readonly outputs?: readonly (Schema | undefined)[] | undefined
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Receives what steps log through `ctx.log`. `at` tells which attempt of which run speaks. */
export type LogSink = (
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, unknown>> | undefined,
  at: { readonly runId: string; readonly path: string; readonly attempt: number },
) => void

/** What a worker brings along. */
export interface WorkerCode {
  /** In the order of `flows` of the operation that starts the worker. */
  readonly flows: readonly FlowCode[]
  /** Whether the process stays alive while this worker is registered. */
  readonly keepAlive: boolean
  readonly log?: LogSink
  /** What the native side tells about the worker. */
  readonly onEvent?: (name: string, data: unknown) => void
}
