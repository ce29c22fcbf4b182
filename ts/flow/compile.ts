import type { StepFunction } from '../bridge'
import type { Schema } from '../schema'
import { isWellFormed, wellFormed } from '../options'
import { type Chain, type Node, nodesOf } from './chain'
import type { Definition, NodeDefinition, NodeShape, Problem } from './definition'
import { type FlowSchemas, SchemaCollection } from './schemas'

/** As on the native side. Checked here too, because paths of a hostile flow would not fit into one text. */
const PATH_BYTES_MAX = 8_192
export const DEPTH_MAX = 1_000

/** A flow in the form that is checked, stored and run. The lists are parallel: one entry for each node. */
export interface Compiled {
  readonly definition: Definition
  /** The user's function of a step or a join; `undefined` for nodes without one. */
  readonly functions: readonly (StepFunction | undefined)[]
  readonly schemas: FlowSchemas | undefined
  /** What the native side cannot see. */
  readonly problems: readonly Problem[]
}

/** What `flow(…)` was called with. */
export interface FlowHead {
  readonly name: string
  readonly deadlineMs: number | null
  /** What the input of a run must fit. */
  readonly input: Schema | undefined
}

interface Frame {
  readonly scope: string
  readonly depth: number
  readonly nodes: readonly Node[]
  at: number
}

/** Lays a tree of chains out as a flat list. A walk with its own stack: forks may be nested deeper than calls can be. */
export function compile({ name, deadlineMs, input }: FlowHead, chain: Chain | null): Compiled {
  const nodes: NodeDefinition[] = []
  const functions: (StepFunction | undefined)[] = []
  const schemas = new SchemaCollection()
  const problems: Problem[] = []
  checkText('', 'flow name', name, problems)

  const stack: Frame[] = [{ scope: '', depth: 0, nodes: nodesOf(chain), at: 0 }]
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const node = frame.nodes[frame.at++]
    if (node === undefined) {
      stack.pop()
      continue
    }
    const path = join(frame.scope, node.name)
    checkText(path, 'name', node.name, problems)
    nodes.push({ scope: frame.scope, name: wellFormed(node.name), ...shapeOf(node) })
    functions.push(functionOf(node))
    schemas.add(path, node, problems)
    if (node.kind === 'signal') checkText(path, 'signal', node.signal, problems)
    if (node.kind === 'fork') stack.push(...framesOf(node.branches, frame, problems))
  }
  const definition = { name: wellFormed(name), ...(deadlineMs === null ? {} : { deadlineMs }), nodes }
  return { definition, functions, schemas: schemas.all(input), problems }
}

/** The branches of a fork, the first one on top. */
function framesOf(
  branches: readonly (readonly [string, Chain | null])[],
  { scope, depth }: Frame,
  problems: Problem[],
): Frame[] {
  const frames: Frame[] = []
  for (const [name, chain] of branches) {
    const inner = join(scope, name)
    checkText(inner, 'branch name', name, problems)
    if (inner.length > PATH_BYTES_MAX || depth >= DEPTH_MAX) {
      const limits = `paths may have ${PATH_BYTES_MAX} bytes and lie ${DEPTH_MAX} forks deep`
      problems.push({ path: `${inner.slice(0, 200)}…`, message: `the branch is nested too deep: ${limits}` })
    } else {
      frames.push({ scope: wellFormed(inner), depth: depth + 1, nodes: nodesOf(chain), at: 0 })
    }
  }
  return frames.reverse()
}

function shapeOf(node: Node): NodeShape {
  switch (node.kind) {
    case 'step':
      return { kind: 'step', ...node.policy }
    case 'delay':
      return { kind: 'delay', ...node.length }
    case 'signal':
      return {
        kind: 'signal',
        signal: wellFormed(node.signal),
        ...(node.timeoutMs === null ? {} : { timeoutMs: node.timeoutMs }),
        continueOnTimeout: node.continueOnTimeout,
      }
    case 'fork':
      return {
        kind: 'fork',
        branches: node.branches.map(([name]) => wellFormed(name)),
        join: node.join !== null,
        ...node.join?.policy,
      }
  }
}

function functionOf(node: Node): StepFunction | undefined {
  if (node.kind === 'step') return node.fn
  return node.kind === 'fork' ? node.join?.fn : undefined
}

/** Half a surrogate pair has no bytes in UTF-8, so the native side never gets to see it. */
function checkText(path: string, what: string, text: string, problems: Problem[]): void {
  if (!isWellFormed(text)) {
    problems.push({
      path: wellFormed(path),
      message: `the ${what} contains half of a surrogate pair (a character that was cut in the middle)`,
    })
  }
}

function join(scope: string, name: string): string {
  return scope === '' ? name : `${scope}/${name}`
}
