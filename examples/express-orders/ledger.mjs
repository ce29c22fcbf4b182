/**
 * Stands in for a payment provider: an append-only file that accepts each idempotency key once. A charge that is asked
 * for again, because the process died before pawl had stored that it was made, is answered with the first one.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** @typedef {{ key: string, order: string, cents: number }} Charge */

/** @param {string} file */
export function openLedger(file) {
  const charges = new Map(readLedger(file).map((charge) => [charge.key, charge]))
  return {
    /** @param {Charge} charge @returns {Promise<Charge>} */
    async charge(charge) {
      const first = charges.get(charge.key)
      if (first !== undefined) return first
      charges.set(charge.key, charge)
      appendFileSync(file, `${JSON.stringify(charge)}\n`)
      return charge
    },
  }
}

/** @param {string} file @returns {Charge[]} */
export function readLedger(file) {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
