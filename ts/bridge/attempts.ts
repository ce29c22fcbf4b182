import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { decode, encode } from '../codec'
import { type ErrorCode, PawlError } from '../errors'
import type { NativeEngine } from '../native'
import { judge, misfit } from '../schema'
import { Abort } from './abort'
import { type AttemptFacts, type Load, StepContext } from './context'
import type { Keeper } from './keeper'
import { Outcomes, THREW } from './outcomes'
import { refused, type Thrown, thrown } from './thrown'
import type { FlowCode, StepFunction, WorkerCode } from './work'

interface Registered {
  readonly code: WorkerCode
  /** Calls with the AsyncLocalStorage values of the moment the worker was registered. */
  readonly snapshot: (call: () => void) => void
}

interface Running {
  readonly worker: number
  readonly abort: Abort
}

/** What an attempt is run with. */
export interface Job extends AttemptFacts {
  readonly worker: number
  readonly id: number
  readonly flowIndex: number
  readonly codec: number
  readonly input: string
}

/** After an abort with this code a success is still recorded, so the attempt goes on counting as running. */
const STILL_WELCOME: ErrorCode = 'PAWL_RUN_PAUSED'

/** Runs users' functions for the workers of one engine. */
export class Attempts {
  readonly #workers = new Map<number, Registered>()
  readonly #running = new Map<number, Running>()
  readonly #outcomes: Outcomes
  readonly #keeper: Keeper
  readonly #load: Load
  #lastWorker = 0

  constructor(native: NativeEngine, keeper: Keeper, load: Load) {
    this.#outcomes = new Outcomes(native)
    this.#keeper = keeper
    this.#load = load
  }

  /**
   * Makes a worker's functions known and answers its number. Its attempts see the AsyncLocalStorage values of this
   * moment, so that nothing leaks from one attempt into another.
   */
  register(code: WorkerCode): number {
    this.#lastWorker += 1
    this.#workers.set(this.#lastWorker, { code, snapshot: AsyncLocalStorage.snapshot() })
    if (code.keepAlive) this.#keeper.take()
    return this.#lastWorker
  }

  /** Forgets a worker that has stopped. What still runs is told so and not waited for. */
  unregister(worker: number): void {
    const registered = this.#workers.get(worker)
    if (registered === undefined) return
    this.#workers.delete(worker)
    if (registered.code.keepAlive) this.#keeper.release()
    for (const [id, running] of this.#running) {
      if (running.worker === worker) this.#running.delete(id)
    }
  }

  /** Tells a worker what the native side has to say about it. */
  tell(worker: number, event: string, json: string): void {
    const registered = this.#workers.get(worker)
    if (registered !== undefined) apart(registered, () => registered.code.onEvent?.(event, JSON.parse(json)))
  }

  run(job: Job): void {
    const registered = this.#workers.get(job.worker)
    // Stopped meanwhile: the native side has handed the claim back.
    if (registered === undefined) return
    const abort = new Abort()
    this.#running.set(job.id, { worker: job.worker, abort })

    const flow = registered.code.flows[job.flowIndex]
    const call = flow?.functions[job.nodeIndex]
    if (flow === undefined || call === undefined) {
      this.#failed(job, refused('PAWL_TASK_NOT_IMPLEMENTED', notImplemented(job, flow)))
      return
    }
    apart(registered, () => void this.#attempt(job, flow, call, abort, registered.code))
  }

  abort(id: number, code: ErrorCode, message: string): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    if (code !== STILL_WELCOME) this.#running.delete(id)
    const registered = this.#workers.get(running.worker)
    if (registered !== undefined) apart(registered, () => running.abort.abort(code, message))
  }

  /** Never rejects. Every way in which `await call(…)` can end is an outcome; if it does not end, there is none. */
  async #attempt(job: Job, flow: FlowCode, call: StepFunction, abort: Abort, code: WorkerCode): Promise<void> {
    let input: unknown
    try {
      input = decode(job.codec, job.input)
    } catch (error) {
      return this.#failed(job, refusal(error, `The input of "${job.path}" cannot be read`))
    }
    let output: unknown
    try {
      output = await call(input, new StepContext(job, flow, abort, this.#load, code.log))
      const schema = flow.outputs?.[job.nodeIndex]
      if (schema !== undefined) {
        const verdict = await judge(schema, output, 'output')
        if (verdict.problems !== null) {
          return this.#failed(job, refused('PAWL_SCHEMA', misfit(`The output of "${job.path}"`, verdict.problems)))
        }
        output = verdict.value
      }
    } catch (error) {
      return this.#failed(job, thrown(error))
    }
    let encoded: { codec: number; text: string }
    try {
      encoded = encode(output, 'output')
    } catch (error) {
      return this.#failed(job, refusal(error, `The output of "${job.path}" cannot be stored`))
    }
    this.#ended(job, encoded.codec, encoded.text)
  }

  #failed(job: Job, error: Thrown): void {
    this.#ended(job, THREW, JSON.stringify(error))
  }

  #ended(job: Job, codec: number, text: string): void {
    // Not in the list: aborted for good meanwhile, nobody waits for it.
    if (!this.#running.delete(job.id)) return
    this.#outcomes.add(job.worker, job.id, codec, text, this.#running.size > 0)
  }
}

/** In a scope of its own: what the call changes with `enterWith` ends with it. A snapshot alone is one shared scope. */
function apart({ snapshot }: Registered, call: () => void): void {
  snapshot(() => new AsyncResource('PawlAttempt').runInAsyncScope(call))
}

function notImplemented(job: Job, flow: FlowCode | undefined): string {
  if (flow === undefined) return `The worker got "${job.path}" of a flow it was not started with`
  return `The flow "${flow.name}" has no function at "${job.path}" in this process`
}

/** The codec says what is wrong with a value and where; `what` says which value. */
function refusal(error: unknown, what: string): Thrown {
  if (PawlError.is(error)) return refused(error.code, `${what}: ${error.message}`)
  // A getter or a toJSON of the value itself threw.
  return refused('PAWL_SERIALIZATION', `${what}: ${thrown(error).message}`)
}
