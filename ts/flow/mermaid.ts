import type { FlowGraph, GraphEdge, GraphNode, GraphPolicy, MermaidOptions, SignalGraphNode } from '../../index'
import { durationText, oneOf, optionsOf } from '../options'

const DIRECTIONS = ['TB', 'BT', 'LR', 'RL'] as const

/** A flow as the text of a Mermaid flowchart. A fork is drawn twice: where its branches part, and where they meet again. */
export function mermaidOf(graph: FlowGraph, options: MermaidOptions | undefined): string {
  const given = optionsOf('toMermaid()', options, ['direction'])
  const direction = oneOf(given.direction, 'direction', DIRECTIONS, 'TB')
  const ids = new Map(graph.nodes.map(({ path }, at) => [path, `n${at}`]))
  const id = (path: string): string => ids.get(path) as string
  const [first] = graph.nodes as readonly [GraphNode]
  const last = graph.nodes.findLast(({ scope }) => scope === '') as GraphNode
  const forks = new Set(graph.nodes.filter(({ kind }) => kind === 'fork').map(({ path }) => path))
  const leaving = (path: string): string => (forks.has(path) ? meeting(id(path)) : id(path))

  const limit = graph.deadlineMs === null ? [] : [`at most ${durationText(graph.deadlineMs)}`]
  return [
    `flowchart ${direction}`,
    `start([${label(graph.flow, ...limit)}])`,
    ...graph.nodes.flatMap((node) => shapesOf(node, id(node.path))),
    `done([${label('end')}])`,
    `start --> ${id(first.path)}`,
    ...graph.edges.map((edge) => arrow(edge, id, leaving)),
    `${leaving(last.path)} --> done`,
  ].join('\n  ')
}

function shapesOf(node: GraphNode, id: string): string[] {
  switch (node.kind) {
    case 'step':
      return [`${id}[${label(node.name, ...policyLines(node))}]`]
    case 'delay': {
      const length = node.until === null ? `wait ${durationText(node.forMs ?? 0)}` : `wait until ${node.until}`
      return [`${id}([${label(node.name, length)}])`]
    }
    case 'signal':
      return [`${id}>${label(node.name, `signal ${node.signal}`, ...timeoutLines(node))}]`]
    case 'fork': {
      const join = node.join === null ? `((${label(node.name)}))` : `[${label(node.name, ...policyLines(node.join))}]`
      return [`${id}((${label('fork')}))`, `${meeting(id)}${join}`]
    }
  }
}

/** The id of where the branches of a fork meet. */
function meeting(id: string): string {
  return `${id}j`
}

function arrow(edge: GraphEdge, id: (path: string) => string, leaving: (path: string) => string): string {
  switch (edge.kind) {
    case 'next':
      return `${leaving(edge.from)} --> ${id(edge.to)}`
    case 'branch':
      return `${id(edge.from)} -->|${label(edge.branch)}| ${id(edge.to)}`
    case 'join':
      return `${leaving(edge.from)} --> ${meeting(id(edge.to))}`
  }
}

function policyLines({ timeoutMs, retry }: GraphPolicy): string[] {
  const attempts = retry.maxAttempts > 1 ? [`up to ${retry.maxAttempts} attempts`] : []
  const timeout = timeoutMs === null ? [] : [`at most ${durationText(timeoutMs)}${attempts.length > 0 ? ' each' : ''}`]
  const line = [...attempts, ...timeout].join(', ')
  return line === '' ? [] : [line]
}

function timeoutLines({ timeoutMs, onTimeout }: SignalGraphNode): string[] {
  if (timeoutMs === null) return []
  return [`at most ${durationText(timeoutMs)}, then ${onTimeout === 'fail' ? 'fails' : 'goes on'}`]
}

/** A quoted label. Whatever a name contains is only text in it: no Mermaid, no Markdown, no HTML. */
function label(...lines: string[]): string {
  return `"${lines.map(escaped).join('<br/>')}"`
}

function escaped(text: string): string {
  return text.replace(SPECIAL, (sign) => `#${sign.codePointAt(0)};`)
}

/** All but letters, digits, pictures, spaces and commas, and the signs that mean nothing inside of a word, as in `order-42`. */
const SPECIAL = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic} ,._-]|(?<![\p{L}\p{N}])[._-]|[._-](?![\p{L}\p{N}])/gu
