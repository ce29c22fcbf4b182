import { PawlError } from '../errors/pawl-error'
import { duration } from './duration'
import { shown } from './shown'

/** Short enough that the work of a dead process moves again within half a minute. */
const CLAIM_TTL_DEFAULT = '20s'
/** A claim must outlive a few heartbeats, and a pause of the whole machine that nobody would call a crash. */
const TTL_MS_MIN = 1_000

/** The option `claimTtl` of workers and runners, in milliseconds. */
export function claimTtl(value: unknown): number {
  return timeToLive(value ?? CLAIM_TTL_DEFAULT, 'claimTtl')
}

/** A duration after which claims are lost. */
export function timeToLive(value: unknown, option: string): number {
  const ms = duration(value, option)
  if (ms >= TTL_MS_MIN) return ms
  throw new PawlError('PAWL_OPTION', `"${option}" is ${shown(value)}; it is at least ${TTL_MS_MIN} ms.`)
}
