/** Alternated rounds: each system takes its turn in each round, in a fresh process with a fresh database. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './workloads/common.mjs'
import { workloads } from './workloads/index.mjs'

const MEASURE = fileURLToPath(new URL('measure.mjs', import.meta.url))

/** @typedef {Record<string, number | null>} Figures */
/** @typedef {Record<string, Record<string, Figures>>} Results Figures by workload and system. */

/**
 * @param {import('./options.mjs').Options} options
 * @param {(text: string) => void} progress
 * @returns {Promise<Results[]>}
 */
export async function runRounds(options, progress) {
  /** @type {Results[]} */
  const rounds = []
  for (let round = 0; round < options.rounds; round++) {
    /** @type {Results} */
    const results = {}
    for (const name of options.workloads) {
      results[name] = {}
      for (const system of rotated(systemsOf(name, options.systems), round)) {
        progress(`round ${round + 1}/${options.rounds}  ${name}  ${system}`)
        results[name][system] = await measure(system, name, options)
      }
    }
    rounds.push(results)
  }
  return rounds
}

/** The median of each figure over the rounds. @param {Results[]} rounds @returns {Results} */
export function medians(rounds) {
  return mapValues(rounds[0], (bySystem, workload) =>
    mapValues(bySystem, (figures, system) =>
      mapValues(figures, (first, key) =>
        first === null ? null : median(rounds.map((round) => /** @type {number} */ (round[workload][system][key]))),
      ),
    ),
  )
}

/** @param {string} workload @param {string[]} asked */
export function systemsOf(workload, asked) {
  const only = workloads[workload].systems
  return only === undefined ? asked : asked.filter((system) => only.includes(system))
}

/** @param {string} system @param {string} name @param {import('./options.mjs').Options} options @returns {Promise<Figures>} */
async function measure(system, name, options) {
  const sizes = options.quick ? workloads[name].quick : workloads[name].sizes
  const folder = mkdtempSync(join(options.dir, 'pawl-bench-'))
  try {
    const args = ['--expose-gc', MEASURE, system, name, JSON.stringify(sizes), folder]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return JSON.parse(stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @template T @param {T[]} list @param {number} by @returns {T[]} */
function rotated(list, by) {
  const at = list.length === 0 ? 0 : by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}

/** @template A, B @param {Record<string, A>} object @param {(value: A, key: string) => B} change @returns {Record<string, B>} */
function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
}
