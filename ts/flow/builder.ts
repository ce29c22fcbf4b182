import { PawlError } from '../errors'
import { duration, moment, oneOf, optionalDuration, optionsOf, shown } from '../options'
import { optionalSchema } from '../schema'
import { branchesOf } from './branches'
import type { Chain, DelayNode, ForkNode, Node, Work } from './chain'
import { checked } from './check'
import { compile, DEPTH_MAX, type FlowHead } from './compile'
import { Flow } from './flow'
import { stepOptions } from './policy'
import { isTask, stepFunction, text, workOfTask } from './task'

/** What all builders of one chain share: the flow, or the fork that the chain is a branch of. */
interface Root {
  readonly flow: FlowHead | null
  /** How many forks lie around it. */
  readonly depth: number
}

/** An immutable chain under construction. Every method answers a new builder; the old one stays as it was. */
export class Builder {
  readonly #root: Root
  readonly #chain: Chain | null

  constructor(root: Root, chain: Chain | null) {
    this.#root = root
    this.#chain = chain
    Object.freeze(this)
  }

  step(nameOrTask: unknown, work?: unknown, options?: unknown): Builder {
    if (isTask(nameOrTask)) {
      return this.#with({ kind: 'step', name: nameOrTask.name, ...workOfTask(nameOrTask) })
    }
    const name = text(nameOrTask, 'step()', 'name')
    return this.#with({ kind: 'step', name, ...workOf(`step ${shown(name)}`, work, options) })
  }

  delay(name: unknown, length: unknown): Builder {
    const node = text(name, 'delay()', 'name')
    return this.#with({ kind: 'delay', name: node, length: delayLength(node, length) })
  }

  signal(name: unknown, options?: unknown): Builder {
    const node = text(name, 'signal()', 'name')
    const where = `signal ${shown(node)}`
    const known = ['signal', 'timeout', 'onTimeout', 'payload'] as const
    const { signal, timeout, onTimeout, payload } = optionsOf(where, options, known)
    return this.#with({
      kind: 'signal',
      name: node,
      signal: signal === undefined ? node : text(signal, where, 'option "signal"'),
      timeoutMs: optionalDuration(timeout, 'timeout'),
      continueOnTimeout: oneOf(onTimeout, 'onTimeout', ['fail', 'continue'], 'fail') === 'continue',
      payload: optionalSchema(payload, where, 'payload'),
    })
  }

  fork(given: unknown): Builder {
    const depth = this.#root.depth + 1
    if (depth > DEPTH_MAX) {
      // Said here: deeper callbacks could use up the stack before build() is reached.
      throw new PawlError(
        'PAWL_FLOW_INVALID',
        `The flow is nested too deep: at most ${DEPTH_MAX} forks may lie within each other.`,
      )
    }
    const branches = branchesOf(given, {
      open: () => new Builder({ flow: null, depth }, null),
      chainOf: Builder.#chainOf,
    })
    return this.#with({ kind: 'fork', name: nameOfFork(branches.map(([name]) => name)), branches, join: null })
  }

  join(name: unknown, work?: unknown, options?: unknown): Builder {
    const node = text(name, 'join()', 'name')
    const fork = this.#chain?.node
    if (fork?.kind !== 'fork') {
      throw new PawlError(
        'PAWL_FLOW_INVALID',
        `join(${shown(node)}) follows no fork; write it directly after .fork({ … }).`,
      )
    }
    const join = work === undefined ? null : workOf(`join ${shown(node)}`, work, options)
    const named: ForkNode = { ...fork, name: node, join }
    return new Builder(this.#root, { before: (this.#chain as Chain).before, node: named })
  }

  build(): Flow {
    const flow = this.#root.flow
    if (flow === null) {
      throw new PawlError(
        'PAWL_FLOW_INVALID',
        'build() was called on a branch; return the branch and build the flow it belongs to.',
      )
    }
    const compiled = compile(flow, this.#chain)
    return new Flow(checked(compiled), compiled)
  }

  #with(node: Node): Builder {
    return new Builder(this.#root, { before: this.#chain, node })
  }

  /** The chain of a builder that grew out of `opened`; `undefined` for anything else. */
  static #chainOf(opened: Builder, result: unknown): Chain | null | undefined {
    const grown = typeof result === 'object' && result !== null && #root in result && result.#root === opened.#root
    return grown ? result.#chain : undefined
  }
}

export function flow(name: unknown, options?: unknown): Builder {
  const flowName = text(name, 'flow()', 'name')
  const where = `flow ${shown(flowName)}`
  const { deadline, input } = optionsOf(where, options, ['deadline', 'input'])
  const head: FlowHead = {
    name: flowName,
    deadlineMs: optionalDuration(deadline, 'deadline', { min: 1 }),
    input: optionalSchema(input, where, 'input'),
  }
  return new Builder({ flow: head, depth: 0 }, null)
}

/** A task's or a plain function's work; options given beside a task take the place of the task's own. */
function workOf(where: string, work: unknown, options: unknown): Work {
  const { policy, output } = stepOptions(where, options)
  if (!isTask(work)) return { fn: stepFunction(work, where), policy, output }
  const own = workOfTask(work)
  return { fn: own.fn, policy: { ...own.policy, ...policy }, output: output ?? own.output }
}

function delayLength(name: string, length: unknown): DelayNode['length'] {
  if (typeof length !== 'object' || length === null) return { forMs: duration(length, `length of ${name}`) }
  const { until } = optionsOf(`delay ${shown(name)}`, length, ['until'])
  return { until: moment(until, 'until') }
}

/** As on the native side: the longest name a node may have. */
const NAME_CHARS_MAX = 200

/** The name of a fork without a join: its branches' names. It differs from each of them, whose paths it must not share. */
function nameOfFork(branches: readonly string[]): string {
  const [first = ''] = branches
  if (branches.length < 2) return `${first}+`
  const all = branches.join('+')
  return all.length <= NAME_CHARS_MAX ? all : `${first}+${branches.length - 1} more`
}
