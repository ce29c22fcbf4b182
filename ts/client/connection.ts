import type { Engine, FlowCode } from '../bridge'
import { type Flow, partsOf } from '../flow'
import type { Log } from './log'

/** How many steps of one run are run at once by `pawl.run` and `pawl.resume`: a worker's default. */
export const RUNNER_CONCURRENCY = 64

/** What `Pawl`, its run handles and its workers share. */
export class Connection {
  /** Flows that were used over this connection, by hash. */
  readonly flows = new Map<string, Flow>()
  /** Registrations under way or done. By object: the same shape may come again with other timeouts. */
  private readonly registered = new WeakMap<Flow, Promise<unknown>>()

  constructor(
    readonly engine: Engine,
    /** Where steps write that run over this connection, unless their worker has a log of its own. */
    readonly log: Log,
  ) {}

  remember(flow: Flow): void {
    this.flows.set(flow.hash, flow)
  }

  /** Makes the store know a flow. Once is enough, unless it failed. */
  register(flow: Flow): Promise<unknown> {
    const known = this.registered.get(flow)
    if (known !== undefined) return known
    const registering = this.engine.call('register', { definition: partsOf(flow).definition })
    this.registered.set(flow, registering)
    registering.then(
      () => this.remember(flow),
      () => this.registered.delete(flow),
    )
    return registering
  }
}

/** A flow as the bridge runs it. */
export function codeOf(flow: Flow): FlowCode {
  const { definition, functions } = partsOf(flow)
  return { name: flow.name, nodes: definition.nodes, functions }
}

export const definitionsOf = (flows: readonly Flow[]) => flows.map((flow) => partsOf(flow).definition)
