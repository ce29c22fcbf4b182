/** A log of what the steps really did, outside of pawl: one line per time a step has done its work. */
import { appendFileSync } from 'node:fs'

/** @param {string | undefined} file */
export function effectsLog(file) {
  if (file === undefined) return () => {}
  return (/** @type {string} */ step, /** @type {string} */ path) => {
    appendFileSync(file, `${JSON.stringify({ pid: process.pid, step, path })}\n`)
  }
}
