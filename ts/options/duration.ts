import { PawlError } from '../errors/pawl-error'
import { shown } from './shown'

/** Ten thousand years in milliseconds, as on the native side: sums with a clock stay far from overflow. */
export const DURATION_MS_MAX = 315_576_000_000_000

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
const FORM = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d|w)$/
const HELP = 'write a number and one unit (ms, s, m, h, d, w), such as "30s" or "2d", or a number of milliseconds.'

/** Reads a duration; whole milliseconds come out, fractions rounded up. `min` is 1 where no time at all makes no sense. */
export function duration(value: unknown, option: string, { min = 0 }: { min?: 0 | 1 } = {}): number {
  const ms = Math.ceil(read(value, option)) + 0 // Turns -0 into 0.
  if (ms < min) throw refused(option, value, 'it must be longer than 0.')
  if (ms > DURATION_MS_MAX) throw refused(option, value, 'the longest duration is 10,000 years.')
  return ms
}

export function optionalDuration(value: unknown, option: string, limits?: { min?: 0 | 1 }): number | null {
  return value === undefined ? null : duration(value, option, limits)
}

function read(value: unknown, option: string): number {
  if (typeof value === 'number') {
    if (Number.isNaN(value)) throw refused(option, value, HELP)
    if (value < 0) throw refused(option, value, 'a duration cannot be negative.')
    return value
  }
  const [, count, unit] = (typeof value === 'string' && FORM.exec(value)) || []
  if (count === undefined || unit === undefined) throw refused(option, value, HELP)
  return Number(count) * (UNITS[unit] as number)
}

function refused(option: string, value: unknown, why: string): PawlError {
  return new PawlError('PAWL_OPTION', `"${option}" is ${shown(value)}, which is not a duration pawl can use: ${why}`)
}
