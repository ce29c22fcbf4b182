import { types } from 'node:util'
import { PawlError } from '../errors/pawl-error'
import { DURATION_MS_MAX } from './duration'
import { shown } from './shown'

/** ISO 8601 with a date and a zone: a text whose meaning does not depend on the machine that reads it. */
const ISO = /^[+-]?\d{4,6}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/

/** Reads a moment; milliseconds since 1970 come out. A moment in the past is one: what waits for it goes on at once. */
export function moment(value: unknown, option: string): number {
  const at = read(value)
  if (Number.isFinite(at) && Math.abs(at) <= DURATION_MS_MAX) return Math.ceil(at)
  throw new PawlError(
    'PAWL_OPTION',
    `"${option}" is ${shown(value)}, which is not a moment: give a valid Date, milliseconds since 1970, or an ISO text with its zone such as "2030-01-31T09:00:00Z".`,
  )
}

function read(value: unknown): number {
  if (types.isDate(value)) return value.getTime()
  if (typeof value === 'number') return value
  return typeof value === 'string' && ISO.test(value) ? Date.parse(value) : Number.NaN
}
