import type { StepFunction } from '../bridge'
import { types } from 'node:util'
import { PawlError } from '../errors'
import { shown } from '../options'
import type { Builder } from './builder'
import type { Chain, Work } from './chain'
import { isTask, workOfTask } from './task'

/** How branches come into being; the builder hands itself in, so that this module need not know how it is made. */
export interface BranchMaker {
  /** A builder for a branch, with nothing in it. */
  open(): Builder
  /** The chain of a builder that grew out of `opened`; `undefined` for anything else. */
  chainOf(opened: Builder, result: unknown): Chain | null | undefined
}

/** Reads the branches given to a fork. */
export function branchesOf(given: unknown, maker: BranchMaker): (readonly [string, Chain | null])[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || isTask(given)) {
    throw new PawlError(
      'PAWL_ARGUMENT',
      `fork(): the branches are ${shown(given)}; give an object, as in { email: sendReceipt, ship: (b) => b.step(pick) }.`,
    )
  }
  // A loop, not a map(): nested callbacks build nested branches, so every frame counts.
  const branches: (readonly [string, Chain | null])[] = []
  for (const [name, branch] of Object.entries(given)) branches.push([name, chainOf(name, branch, maker)])
  return branches
}

function chainOf(name: string, branch: unknown, maker: BranchMaker): Chain | null {
  if (isTask(branch)) return step(branch.name, workOfTask(branch))
  if (typeof branch !== 'function') {
    throw invalid(
      name,
      `it is ${shown(branch)}; give a task, an async function, or a builder callback (b) => b.step(…)`,
    )
  }
  if (isStepFunction(branch)) return step(name, { fn: branch as StepFunction, policy: {}, output: undefined })
  const opened = maker.open()
  const result: unknown = branch(opened)
  const chain = maker.chainOf(opened, result)
  if (chain !== undefined) return chain
  // Whatever was started by mistake must not end as an unhandled rejection.
  if (types.isPromise(result)) result.catch(() => undefined)
  throw invalid(
    name,
    `the callback returned ${shown(result)} and not the builder it was given; to run a plain function as a branch, write task(${shown(name)}, fn)`,
  )
}

/** A builder callback is a plain function of one parameter: async functions and functions of (input, ctx) are steps. */
function isStepFunction(fn: { readonly length: number }): boolean {
  return types.isAsyncFunction(fn) || fn.length > 1
}

function step(name: string, work: Work): Chain {
  return { before: null, node: { kind: 'step', name, ...work } }
}

function invalid(branch: string, why: string): PawlError {
  return new PawlError('PAWL_FLOW_INVALID', `The branch ${shown(branch)} cannot be built: ${why}.`)
}
