import type { StepFunction } from '../bridge'
import type { Schema } from '../schema'
import type { Policy } from './definition'

/** What the builder knows of one node. */
export type Node = StepNode | DelayNode | SignalNode | ForkNode

/** A user's function, and how it is run. */
export interface Work {
  readonly fn: StepFunction
  readonly policy: Policy
  /** What its output must fit. */
  readonly output: Schema | undefined
}

export interface StepNode extends Work {
  readonly kind: 'step'
  readonly name: string
}

export interface DelayNode {
  readonly kind: 'delay'
  readonly name: string
  readonly length: { readonly forMs: number } | { readonly until: number }
}

export interface SignalNode {
  readonly kind: 'signal'
  readonly name: string
  readonly signal: string
  readonly timeoutMs: number | null
  readonly continueOnTimeout: boolean
  /** What its message must fit. */
  readonly payload: Schema | undefined
}

export interface ForkNode {
  readonly kind: 'fork'
  /** Given by `join`; without one the branches' names stand for it. */
  readonly name: string
  readonly branches: readonly (readonly [name: string, chain: Chain | null])[]
  readonly join: Work | null
}

/** A chain of nodes, last one first: every builder shares all but its last link with the one it was made from. */
export interface Chain {
  readonly before: Chain | null
  readonly node: Node
}

/** The nodes in the order in which they run. */
export function nodesOf(chain: Chain | null): Node[] {
  const nodes: Node[] = []
  for (let link = chain; link !== null; link = link.before) nodes.push(link.node)
  return nodes.reverse()
}
