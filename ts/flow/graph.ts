import type { FlowGraph, GraphEdge, GraphNode, GraphPolicy } from '../../index'
import type { Definition, NodeDefinition, Policy } from './definition'
import { RETRY_DEFAULTS } from './retry'

/** The version of the JSON. Kinds and fields may be added without a new one; nothing that is there changes its meaning. */
const GRAPH_VERSION = 1

/** The flow as data for other programs: complete, with every default filled in. One pass over the list, however deep it is. */
export function graphOf(definition: Definition, hash: string): FlowGraph {
  return {
    version: GRAPH_VERSION,
    flow: definition.name,
    hash,
    deadlineMs: definition.deadlineMs ?? null,
    nodes: definition.nodes.map(nodeOf),
    edges: edgesOf(definition.nodes),
  }
}

function nodeOf(node: NodeDefinition): GraphNode {
  const place = { path: inScope(node.scope, node.name), scope: node.scope, name: node.name }
  switch (node.kind) {
    case 'step':
      return { ...place, kind: 'step', ...policyOf(node) }
    case 'delay': {
      const until = node.until === undefined ? null : new Date(node.until).toISOString()
      return { ...place, kind: 'delay', forMs: node.forMs ?? null, until }
    }
    case 'signal': {
      const onTimeout = node.continueOnTimeout ? 'continue' : 'fail'
      return { ...place, kind: 'signal', signal: node.signal, timeoutMs: node.timeoutMs ?? null, onTimeout }
    }
    case 'fork':
      return { ...place, kind: 'fork', branches: [...node.branches], join: node.join ? policyOf(node) : null }
  }
}

function policyOf({ timeoutMs, retry }: Policy): GraphPolicy {
  return { timeoutMs: timeoutMs ?? null, retry: { ...RETRY_DEFAULTS, ...retry } }
}

/** In the order of the nodes they leave. */
function edgesOf(nodes: readonly NodeDefinition[]): GraphEdge[] {
  const chains = new Map<string, string[]>()
  for (const { scope, name } of nodes) {
    const chain = chains.get(scope)
    if (chain === undefined) chains.set(scope, [inScope(scope, name)])
    else chain.push(inScope(scope, name))
  }

  const edges: GraphEdge[] = []
  /** Where a branch ends: the fork that opened it. */
  const forkOf = new Map<string, string>()
  const placeIn = new Map<string, number>()
  for (const node of nodes) {
    const from = inScope(node.scope, node.name)
    if (node.kind === 'fork') {
      for (const branch of node.branches) {
        const scope = inScope(node.scope, branch)
        forkOf.set(scope, from)
        edges.push({ kind: 'branch', from, to: chains.get(scope)?.[0] as string, branch })
      }
    }
    const place = (placeIn.get(node.scope) ?? 0) + 1
    placeIn.set(node.scope, place)
    const next = chains.get(node.scope)?.[place]
    const fork = forkOf.get(node.scope)
    if (next !== undefined) edges.push({ kind: 'next', from, to: next })
    else if (fork !== undefined) edges.push({ kind: 'join', from, to: fork })
  }
  return edges
}

export function inScope(scope: string, name: string): string {
  return scope === '' ? name : `${scope}/${name}`
}
