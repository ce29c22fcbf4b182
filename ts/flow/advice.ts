import type { FlowFinding, FlowGraph, GraphNode, GraphPolicy } from '../../index'
import { durationText } from '../options'
import { inScope } from './graph'
import { longestWaitsMs } from './retry'

type Remark = Omit<FlowFinding, 'path'>

/** What is allowed but hardly meant: the flow as a whole first, then the nodes in their order. */
export function adviceOn({ deadlineMs, nodes }: FlowGraph): FlowFinding[] {
  const findings = nodes.flatMap((node) => {
    const remark = deadlineMs === null ? withoutEnd(node) : beyond(deadlineMs, node)
    return remark === null ? [] : [{ ...remark, path: node.path }]
  })
  // One delay that is too long by itself makes every sum too long.
  const told = findings.some(({ code }) => code === 'delay-beyond-deadline')
  if (deadlineMs === null || told) return findings
  const delayed = longestDelaysMs(nodes)
  if (delayed <= deadlineMs) return findings
  const message = `the delays on one way through the flow add up to ${durationText(delayed)}, ${longerThan(deadlineMs)}: no run can complete`
  return [{ ...warning('delay-beyond-deadline', message), path: '' }, ...findings]
}

function withoutEnd(node: GraphNode): Remark | null {
  if (node.kind !== 'signal' || node.timeoutMs !== null) return null
  const message = `a run waits for the signal "${node.signal}" for ever: there is neither a timeout nor a deadline of the flow`
  return { code: 'signal-without-end', level: 'info', message }
}

function beyond(deadlineMs: number, node: GraphNode): Remark | null {
  switch (node.kind) {
    case 'step':
      return attemptsBeyond(deadlineMs, node)
    case 'fork':
      return node.join === null ? null : attemptsBeyond(deadlineMs, node.join)
    case 'delay':
      if (node.forMs === null || node.forMs <= deadlineMs) return null
      return warning(
        'delay-beyond-deadline',
        `it waits ${durationText(node.forMs)}, ${longerThan(deadlineMs)}: no run that gets here can complete`,
      )
    case 'signal':
      return timeoutBeyond(deadlineMs, node.timeoutMs)
  }
}

function attemptsBeyond(deadlineMs: number, { timeoutMs, retry }: GraphPolicy): Remark | null {
  if (retry.maxAttempts === 1) return timeoutBeyond(deadlineMs, timeoutMs)
  const windowMs = retry.maxAttempts * (timeoutMs ?? 0) + longestWaitsMs(retry)
  if (windowMs <= deadlineMs) return null
  const what = timeoutMs === null ? 'the waits between them' : 'the waits between them and their timeouts'
  return warning(
    'attempts-beyond-deadline',
    `it has ${retry.maxAttempts} attempts, and ${what} add up to as much as ${durationText(windowMs)}, ${longerThan(deadlineMs)}: the last ones may never be made`,
  )
}

function timeoutBeyond(deadlineMs: number, timeoutMs: number | null): Remark | null {
  if (timeoutMs === null || timeoutMs <= deadlineMs) return null
  return warning(
    'timeout-beyond-deadline',
    `its timeout is ${durationText(timeoutMs)}, ${longerThan(deadlineMs)}: the deadline fails the run before`,
  )
}

/** Branches wait at the same time, so a fork takes as long as its slowest. Backwards, because a fork stands before its branches. */
function longestDelaysMs(nodes: readonly GraphNode[]): number {
  const ofScope = new Map<string, number>()
  for (const node of nodes.toReversed()) {
    const own = node.kind === 'delay' ? (node.forMs ?? 0) : 0
    const inside = branchesOf(node).reduce((most, scope) => Math.max(most, ofScope.get(scope) ?? 0), 0)
    ofScope.set(node.scope, (ofScope.get(node.scope) ?? 0) + own + inside)
  }
  return ofScope.get('') ?? 0
}

function branchesOf(node: GraphNode): string[] {
  return node.kind === 'fork' ? node.branches.map((branch) => inScope(node.scope, branch)) : []
}

function warning(code: FlowFinding['code'], message: string): Remark {
  return { code, level: 'warning', message }
}

function longerThan(deadlineMs: number): string {
  return `longer than the flow's deadline of ${durationText(deadlineMs)}`
}
