import type { FlowFinding, FlowGraph, MermaidOptions } from '../../index'
import type { StepFunction } from '../bridge'
import { PawlError } from '../errors'
import { shown } from '../options'
import { adviceOn } from './advice'
import type { Compiled } from './compile'
import type { Definition } from './definition'
import { graphOf } from './graph'
import { mermaidOf } from './mermaid'
import type { FlowSchemas } from './schemas'

/** Registered, so that flows of another copy of pawl are recognised too. */
const PARTS = Symbol.for('pawl.flow.parts')

/** What the client, the worker and the bridge need of a flow. The lists are parallel: one entry for each node. */
export interface FlowParts {
  readonly definition: Definition
  readonly functions: readonly (StepFunction | undefined)[]
  readonly schemas?: FlowSchemas | undefined
}

/** A checked flow. It never changes. */
export class Flow {
  readonly name: string
  /** Over name and shape: two flows with the same hash can run each other's runs. */
  readonly hash: string
  declare readonly [PARTS]: FlowParts

  constructor(hash: string, { definition, functions, schemas }: Compiled) {
    this.name = definition.name
    this.hash = hash
    const parts: FlowParts = { definition, functions, schemas }
    Object.defineProperty(this, PARTS, { value: parts })
    Object.freeze(this)
  }

  graph(): FlowGraph {
    return graphOf(this[PARTS].definition, this.hash)
  }

  toMermaid(options?: MermaidOptions): string {
    return mermaidOf(this.graph(), options)
  }

  check(): FlowFinding[] {
    return adviceOn(this.graph())
  }
}

export function isFlow(value: unknown): value is Flow {
  return typeof value === 'object' && value !== null && PARTS in value
}

export function partsOf(flow: Flow): FlowParts {
  return flow[PARTS]
}

/** A flow that a caller handed over. */
export function flowArgument(value: unknown, where: string): Flow {
  if (isFlow(value)) return value
  const built = typeof value === 'object' && value !== null && 'build' in value
  const help = built ? 'it is not built yet; call .build() on it.' : 'give a flow made by flow(…)….build().'
  throw new PawlError('PAWL_ARGUMENT', `${where}: the flow is ${shown(value)}; ${help}`)
}
