import { decode } from '../codec'
import { PawlError } from '../errors'
import type { Abort } from './abort'
import { ancestorPaths, findAncestor } from './ancestors'
import { RealDate } from './realm'
import type { FlowCode, LogLevel, LogSink } from './work'

/** Asks the store for a recorded value. */
export type Load = (run: number, path: string) => Promise<{ found: boolean; codec: number; text: string }>

/** One attempt, as the native side describes it. */
export interface AttemptFacts {
  readonly runNo: number
  readonly runId: string
  readonly path: string
  readonly attempt: number
  readonly deadlineAt: number | null
  readonly nodeIndex: number
}

type Fields = Readonly<Record<string, unknown>>

/** `ctx.log`: what a step says goes to the worker's log together with the attempt that says it. */
export interface StepLog {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

/** The second argument of every step. Whatever costs something is made when it is asked for. */
export class StepContext {
  readonly #facts: AttemptFacts
  readonly #flow: FlowCode
  readonly #abort: Abort
  readonly #load: Load
  readonly #sink: LogSink | undefined

  constructor(facts: AttemptFacts, flow: FlowCode, abort: Abort, load: Load, sink: LogSink | undefined) {
    this.#facts = facts
    this.#flow = flow
    this.#abort = abort
    this.#load = load
    this.#sink = sink
  }

  get runId(): string {
    return this.#facts.runId
  }

  /** The node's path, for example `ship/pack`. */
  get path(): string {
    return this.#facts.path
  }

  /** Which start of this function this is, from 1. */
  get attempt(): number {
    return this.#facts.attempt
  }

  /** The same for all attempts of this node in this run, and for no other: what to give to whoever must not act twice. */
  get idempotencyKey(): string {
    return `${this.#facts.runId}#${this.#facts.runNo}:${this.#facts.path}`
  }

  /** When the attempt will be too late: the earlier of its own and the run's deadline. */
  get deadline(): Date | null {
    return this.#facts.deadlineAt === null ? null : new RealDate(this.#facts.deadlineAt)
  }

  /** Aborted when the attempt should stop; `signal.reason` is a PawlError whose code says why. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get log(): StepLog {
    const { runId, path, attempt } = this.#facts
    const write = (level: LogLevel) => (message: string, fields?: Fields) =>
      this.#sink?.(level, message, fields, { runId, path, attempt })
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  }

  /** The input of the run. */
  async input(): Promise<unknown> {
    return this.#read('')
  }

  /** The output of a node that runs before this one. */
  async output(name: string): Promise<unknown> {
    const path = typeof name === 'string' && name !== '' ? this.#find(name) : undefined
    if (path === undefined) throw this.#unknown(name)
    return this.#read(path)
  }

  #find(name: string): string | undefined {
    return findAncestor(this.#flow.nodes, this.#facts.nodeIndex, name)
  }

  async #read(path: string): Promise<unknown> {
    const { found, codec, text } = await this.#load(this.#facts.runNo, path)
    if (found) return decode(codec, text)
    const what = path === '' ? 'The input' : `The output of "${path}"`
    throw new PawlError(
      'PAWL_OUTPUT_UNKNOWN',
      `${what} is not stored for run "${this.runId}"; was the run removed from the store?`,
    )
  }

  #unknown(name: unknown): PawlError {
    const known = ancestorPaths(this.#flow.nodes, this.#facts.nodeIndex)
    const hint =
      known.length === 0 ? 'no node runs before it' : `it can ask for ${known.map((path) => `"${path}"`).join(', ')}`
    const message = `"${this.path}" asked for the output of ${JSON.stringify(name) ?? String(name)}, which does not run before it; ${hint}`
    return new PawlError('PAWL_OUTPUT_UNKNOWN', message)
  }
}
