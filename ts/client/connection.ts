import type { Engine, FlowCode } from '../bridge'
import { type Flow, partsOf } from '../flow'
import type { Schema } from '../schema'
import type { Log } from './log'

/** How many steps of one run are run at once by `pawl.run` and `pawl.resume`: a worker's default. */
export const RUNNER_CONCURRENCY = 64

/** What `Pawl`, its run handles and its workers share. */
export class Connection {
  /** Flows that were used over this connection, by hash. */
  readonly flows = new Map<string, Flow>()
  /** Signals that a flow used here has a schema for. Of any other name no run needs to be asked for its flow. */
  private readonly checkedSignals = new Set<string>()
  /** Registrations under way or done. By object: the same shape may come again with other timeouts. */
  private readonly registered = new WeakMap<Flow, Promise<unknown>>()

  constructor(
    readonly engine: Engine,
    /** Where steps write that run over this connection, unless their worker has a log of its own. */
    readonly log: Log,
  ) {}

  remember(flow: Flow): void {
    this.flows.set(flow.hash, flow)
    for (const signal of partsOf(flow).schemas?.payloads.keys() ?? []) this.checkedSignals.add(signal)
  }

  /** Whether some run's payloads of this name are checked here. */
  checks(signal: string): boolean {
    return this.checkedSignals.has(signal)
  }

  /** What this payload must fit in a run with this definition, if its flow was used here. */
  payloadSchema(hash: string, signal: string): Schema | undefined {
    const flow = this.flows.get(hash)
    return flow === undefined ? undefined : partsOf(flow).schemas?.payloads.get(signal)
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
  const { definition, functions, schemas } = partsOf(flow)
  return { name: flow.name, nodes: definition.nodes, functions, outputs: schemas?.outputs }
}

export const definitionsOf = (flows: readonly Flow[]) => flows.map((flow) => partsOf(flow).definition)
