import { hostname } from 'node:os'
import type { LogEntry } from '../../index'
import { PawlError } from '../errors'
import { type Flow, flowArgument } from '../flow'
import { boolean, count, duration, name, optionsOf, shown } from '../options'

const CONCURRENCY_MAX = 100_000
const CONCURRENCY_DEFAULT = 64
/** Short enough that the work of a dead process moves again within half a minute. */
const CLAIM_TTL_DEFAULT = '20s'
const EVENT_LOOP_BUDGET_DEFAULT = '60s'
/** A claim must outlive a few heartbeats, and a pause of the whole machine that nobody would call a crash. */
const TTL_MS_MIN = 1_000

export interface CheckedOptions {
  readonly flows: readonly Flow[]
  readonly concurrency: number
  readonly name: string
  readonly claimTtlMs: number
  readonly eventLoopBudgetMs: number
  readonly keepAlive: boolean
  readonly log: (entry: LogEntry) => void
}

const KNOWN = ['flows', 'concurrency', 'name', 'claimTtl', 'eventLoopBudget', 'keepAlive', 'log'] as const

export function checkedOptions(given: unknown): CheckedOptions {
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
    claimTtlMs: atLeastMin(options.claimTtl ?? CLAIM_TTL_DEFAULT, 'claimTtl'),
    eventLoopBudgetMs: atLeastMin(options.eventLoopBudget ?? EVENT_LOOP_BUDGET_DEFAULT, 'eventLoopBudget'),
    keepAlive: boolean(options.keepAlive, 'keepAlive', true),
    log: logOf(options.log),
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

function atLeastMin(value: unknown, option: string): number {
  const ms = duration(value, option)
  if (ms >= TTL_MS_MIN) return ms
  throw new PawlError('PAWL_OPTION', `"${option}" is ${shown(value)}; it is at least ${TTL_MS_MIN} ms.`)
}

function logOf(log: unknown): (entry: LogEntry) => void {
  if (log === undefined) return toConsole
  if (typeof log === 'function') return log as (entry: LogEntry) => void
  throw new PawlError('PAWL_OPTION', `"log" is ${shown(log)}; give a function that takes one entry.`)
}

function toConsole({ level, message, fields, runId, node, attempt }: LogEntry): void {
  console[level](message, { ...fields, runId, node, attempt })
}
