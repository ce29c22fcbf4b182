import type { Pawl as Contract, Explanation, RunStatus } from '../../index'
import { Engine } from '../bridge'
import type { Payload } from '../codec'
import { PawlError } from '../errors'
import { type Flow, flowArgument } from '../flow'
import { claimTtl, name, note, optionsOf, runId, shown } from '../options'
import { attributed } from './attributed'
import { codeOf, Connection, definitionsOf, RUNNER_CONCURRENCY } from './connection'
import type { ExplanationDto, StatusDto } from './dto'
import { explanationOf } from './explanation'
import { type ListQuery, listQuery } from './list'
import { logOption, sinkOf } from './log'
import { RunHandle } from './run-handle'
import { RunPage } from './run-page'
import { inputOf, runRequest, startRequest } from './start-request'
import { statusOf, summaryOf } from './status'

/** Lets workers reach the connection; registered, so that a worker of another copy of pawl does too. */
const CONNECTION = Symbol.for('pawl.connection')

/** Longer than any path that a system allows. */
const URL_CHARS_MAX = 10_000

export class Pawl implements Contract {
  declare readonly [CONNECTION]: Connection

  private constructor(connection: Connection) {
    Object.defineProperty(this, CONNECTION, { value: connection })
  }

  static connect(url: unknown, options?: unknown): Promise<Pawl> {
    return attributed(Pawl.connect, async () => {
      if (typeof url !== 'string') {
        throw new PawlError(
          'PAWL_ARGUMENT',
          `connect(): the url is ${shown(url)}; give a text such as "sqlite:orders.db".`,
        )
      }
      if (url.length > URL_CHARS_MAX) {
        throw new PawlError(
          'PAWL_OPTION',
          `connect(): the url ${shown(url)} has ${url.length} characters; no file has such a name.`,
        )
      }
      const given = optionsOf('connect()', options, ['name', 'log'])
      const log = logOption(given.log)
      return new Pawl(new Connection(await Engine.connect(url, note(given.name, 'name')), log))
    })
  }

  start<Output>(flow: unknown, input?: unknown, options?: unknown): Promise<RunHandle<Output>> {
    return attributed(this.start, async () => {
      const target = typeof flow === 'string' ? name(flow, 'start()', 'flow') : flowArgument(flow, 'start()')
      const { id, onConflict } = startRequest(options)
      const given = inputOf(target, input)
      const payload = 'then' in given ? await given : given
      const args = typeof target === 'string' ? { flow: target, hash: null } : await this.#known(target)
      const { data } = await this.#engine.call<{ existing: boolean }>('start', { ...args, id, onConflict }, payload)
      return new RunHandle<Output>(this[CONNECTION], id, data.existing)
    })
  }

  run<Output>(flow: unknown, input?: unknown, options?: unknown): Promise<RunStatus<Output>> {
    return attributed(this.run, async () => {
      const target = flowArgument(flow, 'run()')
      const { id, onConflict, claimTtlMs } = runRequest(options)
      const given = inputOf(target, input)
      const payload = 'then' in given ? await given : given
      this[CONNECTION].remember(target)
      const args = { flow: target.name, hash: target.hash, id, onConflict, claimTtlMs }
      return this.#drive<Output>('run', [target], args, payload)
    })
  }

  resume<Output>(id: unknown, options?: unknown): Promise<RunStatus<Output>> {
    return attributed(this.resume, async () => {
      const run = runId(id, 'resume()')
      const { flows, claimTtl: ttl } = optionsOf('resume()', options, ['flows', 'claimTtl'])
      const args = { id: run, claimTtlMs: claimTtl(ttl) }
      for (const flow of flowsOption(flows)) this[CONNECTION].remember(flow)
      return this.#drive<Output>('drive', [...this[CONNECTION].flows.values()], args)
    })
  }

  get<Output>(id: unknown, options?: unknown): Promise<RunHandle<Output>> {
    return attributed(this.get, async () => {
      const run = runId(id, 'get()')
      this.#learn('get()', options)
      await this.#engine.call('status', { id: run })
      return new RunHandle<Output>(this[CONNECTION], run, true)
    })
  }

  handle<Output>(id: unknown, options?: unknown): RunHandle<Output> {
    const run = runId(id, 'handle()')
    this.#learn('handle()', options)
    return new RunHandle(this[CONNECTION], run, true)
  }

  list(options?: unknown): Promise<RunPage> {
    return attributed(this.list, async () => this.#page(listQuery(options)))
  }

  explain(id: unknown): Promise<Explanation> {
    return attributed(this.explain, async () => {
      const { data } = await this.#engine.call<ExplanationDto>('explain', { id: runId(id, 'explain()') })
      return explanationOf(data)
    })
  }

  close(): Promise<void> {
    return attributed(this.close, () => this.#engine.close())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  get #engine(): Engine {
    return this[CONNECTION].engine
  }

  /** The flow of a run that a caller wants to speak to, if it was given. */
  #learn(where: string, options: unknown): void {
    const { flow } = optionsOf(where, options, ['flow'])
    if (flow !== undefined) this[CONNECTION].remember(flowArgument(flow, where))
  }

  async #known(flow: Flow): Promise<{ flow: string; hash: string }> {
    await this[CONNECTION].register(flow)
    return { flow: flow.name, hash: flow.hash }
  }

  async #page(query: ListQuery): Promise<RunPage> {
    const { data } = await this.#engine.call<{ runs: StatusDto[]; cursor: string | null }>('list', query)
    return new RunPage(data.runs.map(summaryOf), data.cursor, (cursor) => this.#page({ ...query, cursor }))
  }

  /** Runs steps here for as long as one run has something to do. */
  async #drive<Output>(
    op: string,
    flows: readonly Flow[],
    args: object,
    payload?: Payload,
  ): Promise<RunStatus<Output>> {
    const { attempts } = this.#engine
    const log = sinkOf(this[CONNECTION].log)
    const worker = attempts.register({ flows: flows.map(codeOf), keepAlive: false, log })
    try {
      const request = { worker, ...args, flows: definitionsOf(flows), concurrency: RUNNER_CONCURRENCY }
      return statusOf<Output>(await this.#engine.call<StatusDto>(op, request, payload))
    } finally {
      attempts.unregister(worker)
    }
  }
}

/** The connection behind a Pawl that a caller handed over. */
export function connectionOf(pawl: unknown, where: string): Connection {
  if (typeof pawl === 'object' && pawl !== null && CONNECTION in pawl) return pawl[CONNECTION] as Connection
  const help = 'give what Pawl.connect() resolved to.'
  throw new PawlError('PAWL_ARGUMENT', `${where}: the connection is ${shown(pawl)}; ${help}`)
}

function flowsOption(flows: unknown): Flow[] {
  if (flows === undefined) return []
  if (!Array.isArray(flows)) throw new PawlError('PAWL_OPTION', `"flows" is ${shown(flows)}; give an array of flows.`)
  return flows.map((flow, at) => flowArgument(flow, `resume(), flows[${at}]`))
}
