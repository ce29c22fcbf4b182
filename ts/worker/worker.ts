import type { Worker as Contract, StopReport, WorkerHealth } from '../../index'
import { attributed, codeOf, type Connection, connectionOf, definitionsOf, sinkOf } from '../client'
import { PawlError } from '../errors'
import { duration, optionsOf } from '../options'
import { Events, translate } from './events'
import { type HealthDto, healthOf, STOPPED } from './health'
import { type CheckedOptions, checkedOptions } from './options'

const DRAIN_DEFAULT = '10s'
const NOTHING_ABANDONED: StopReport = Object.freeze({ abandoned: Object.freeze([]) })

export class Worker implements Contract {
  readonly name: string
  readonly #connection: Connection
  readonly #options: CheckedOptions
  readonly #events = new Events()
  /** There from the call of `start` to the end of `stop`: the number by which the native side knows the worker. */
  #started: Promise<number> | undefined
  #stopping: Promise<StopReport> | undefined
  #stopCalls = 0
  /** The native side has ended by a fault of its own; starting again begins with clearing it away. */
  #broken = false

  constructor(pawl: unknown, options: unknown) {
    this.#connection = connectionOf(pawl, 'new Worker()')
    this.#options = checkedOptions(options, this.#connection.log)
    this.name = this.#options.name
    for (const flow of this.#options.flows) this.#connection.remember(flow)
  }

  start(): Promise<void> {
    return attributed(this.start, async () => {
      const stopCalls = this.#stopCalls
      if (this.#broken) await this.#halt(0)
      while (this.#stopping !== undefined) await settled(this.#stopping)
      // Who called stop() meanwhile has the last word: a worker started now would be nobody's.
      if (this.#stopCalls !== stopCalls) return
      this.#started ??= this.#start()
      await this.#started
    })
  }

  stop(options?: unknown): Promise<StopReport> {
    return attributed(this.stop, async () => {
      const { drain } = optionsOf('stop()', options, ['drain'])
      const drainMs = duration(drain ?? DRAIN_DEFAULT, 'drain')
      this.#stopCalls += 1
      return this.#halt(drainMs)
    })
  }

  health(): Promise<WorkerHealth> {
    return attributed(this.health, async () => {
      // Why a start failed is told to whoever called start().
      const worker = this.#started === undefined ? undefined : await this.#started.catch(() => undefined)
      if (worker === undefined) return STOPPED
      return this.#unlessGone(STOPPED, async () => {
        const { data } = await this.#connection.engine.call<HealthDto>('health', { worker })
        return healthOf(data)
      })
    })
  }

  on(event: unknown, listener: unknown): this {
    this.#events.add(event, listener)
    return this
  }

  off(event: unknown, listener: unknown): this {
    this.#events.remove(event, listener)
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #start(): Promise<number> {
    const { engine } = this.#connection
    const { flows, name, concurrency, claimTtlMs, eventLoopBudgetMs, keepAlive, log } = this.#options
    this.#broken = false
    const onEvent = (event: string, data: unknown) => {
      if (event === 'workerFailed') this.#broken = true
      translate(event, data, this.#events)
    }
    const worker = engine.attempts.register({ flows: flows.map(codeOf), keepAlive, log: sinkOf(log), onEvent })
    try {
      const request = { name, flows: definitionsOf(flows), concurrency, claimTtlMs, eventLoopBudgetMs }
      await engine.call('workerStart', { worker, ...request })
      return worker
    } catch (error) {
      engine.attempts.unregister(worker)
      this.#started = undefined
      throw error
    }
  }

  /** While it stops, all who want it stopped wait for the same. */
  #halt(drainMs: number): Promise<StopReport> {
    this.#stopping ??= this.#stop(drainMs).finally(() => {
      this.#stopping = undefined
    })
    return this.#stopping
  }

  async #stop(drainMs: number): Promise<StopReport> {
    // Why a start failed is told to whoever called start().
    const worker = await this.#started?.catch(() => undefined)
    if (worker === undefined) return NOTHING_ABANDONED
    try {
      return await this.#unlessGone(NOTHING_ABANDONED, async () => {
        const { data } = await this.#connection.engine.call<{ abandoned: AbandonedDto[] }>('workerStop', {
          worker,
          drainMs,
        })
        return { abandoned: data.abandoned.map(({ runId, path, attempt }) => ({ runId, node: path, attempt })) }
      })
    } finally {
      this.#connection.engine.attempts.unregister(worker)
      this.#started = undefined
    }
  }

  /** Closing the connection has ended the worker too: that is an answer, and no error. */
  async #unlessGone<T>(gone: T, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (PawlError.is(error) && error.code === 'PAWL_CLOSED') return gone
      throw error
    }
  }
}

interface AbandonedDto {
  readonly runId: string
  readonly path: string
  readonly attempt: number
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await promise.then(
    () => undefined,
    () => undefined,
  )
}
