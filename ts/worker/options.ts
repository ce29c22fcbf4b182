import { hostname } from 'node:os'
import { type Log, logOption } from '../client'
import { PawlError } from '../errors'
import { type Flow, flowArgument } from '../flow'
import { boolean, claimTtl, count, name, optionsOf, shown, timeToLive } from '../options'

const CONCURRENCY_MAX = 100_000
const CONCURRENCY_DEFAULT = 64
const EVENT_LOOP_BUDGET_DEFAULT = '60s'

export interface CheckedOptions {
  readonly flows: readonly Flow[]
  readonly concurrency: number
  readonly name: string
  readonly claimTtlMs: number
  readonly eventLoopBudgetMs: number
  readonly keepAlive: boolean
  readonly log: Log
}

const KNOWN = ['flows', 'concurrency', 'name', 'claimTtl', 'eventLoopBudget', 'keepAlive', 'log'] as const

export function checkedOptions(given: unknown, log: Log): CheckedOptions {
  const options = optionsOf('new Worker()', given, KNOWN)
  return {
    flows: flowsOf(options.flows),
    concurrency: count(options.concurrency, 'concurrency', {
      min: 1,
      max: CONCURRENCY_MAX,
      fallback: CONCURRENCY_DEFAULT,
    }),
    name:
      options.name === undefined ? `${hostname()}:${process.pid}` : name(options.name, 'new Worker()', 'option "name"'),
    claimTtlMs: claimTtl(options.claimTtl),
    eventLoopBudgetMs: timeToLive(options.eventLoopBudget ?? EVENT_LOOP_BUDGET_DEFAULT, 'eventLoopBudget'),
    keepAlive: boolean(options.keepAlive, 'keepAlive', true),
    log: logOption(options.log, log),
  }
}

function flowsOf(given: unknown): Flow[] {
  if (!Array.isArray(given) || given.length === 0) {
    const help = 'give an array with at least one flow.'
    throw new PawlError('PAWL_OPTION', `"flows" is ${Array.isArray(given) ? 'empty' : shown(given)}; ${help}`)
  }
  const placeOf = new Map<string, number>()
  return given.map((flow, at) => {
    const checked = flowArgument(flow, `new Worker(), flows[${at}]`)
    const before = placeOf.get(checked.name)
    if (before !== undefined) {
      const message = `flows[${before}] and flows[${at}] are both named ${shown(checked.name)}; a worker could not tell their runs apart.`
      throw new PawlError('PAWL_FLOW_INVALID', message)
    }
    placeOf.set(checked.name, at)
    return checked
  })
}
