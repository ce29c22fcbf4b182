import { randomBytes } from 'node:crypto'

/** Crockford's base 32: no letters that look alike, and in the order of their codes. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_DIGITS = 10
const RANDOM_DIGITS = 16

let lastMs = 0
let lastRandom: number[] = []

/**
 * A new id for a run: 48 bits of time and 80 of randomness. Ids sort by the millisecond they were made in, and those that
 * one process makes within a millisecond, or while its clock goes back, count upwards.
 */
export function newRunId(nowMs: number = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs
    lastRandom = Array.from(randomBytes(RANDOM_DIGITS), (byte) => byte % DIGITS.length)
    lastRandom[0] = 0 // Room to count upwards.
  } else {
    increment(lastRandom)
  }
  return timeText(lastMs) + lastRandom.map((digit) => DIGITS[digit]).join('')
}

function timeText(ms: number): string {
  let text = ''
  for (let rest = ms; text.length < TIME_DIGITS; rest = Math.floor(rest / DIGITS.length)) {
    text = DIGITS[rest % DIGITS.length] + text
  }
  return text
}

function increment(digits: number[]): void {
  for (let at = digits.length - 1; at >= 0; at--) {
    digits[at] = ((digits[at] as number) + 1) % DIGITS.length
    if (digits[at] !== 0) return
  }
}
