/** The results as a table for people. */
import { systems } from './systems/index.mjs'
import { workloads } from './workloads/index.mjs'

const NAME_WIDTH = 20
const COLUMN_WIDTH = 15

/**
 * @param {import('./rounds.mjs').Results} results
 * @param {import('./targets.mjs').Verdict[]} verdicts
 */
export function table(results, verdicts) {
  return Object.entries(results)
    .map(([name, bySystem]) => section(name, bySystem, verdicts))
    .join('\n')
}

/** @param {string} name @param {Record<string, import('./rounds.mjs').Figures>} bySystem @param {import('./targets.mjs').Verdict[]} verdicts */
function section(name, bySystem, verdicts) {
  const { title, columns } = workloads[name]
  const head = ' '.repeat(NAME_WIDTH) + columns.map((column) => column.title.padStart(COLUMN_WIDTH)).join('')
  const rows = Object.keys(systems)
    .filter((system) => system in bySystem)
    .map((system) => {
      const cells = columns.map(({ key, digits }) => number(bySystem[system][key], digits).padStart(COLUMN_WIDTH))
      return systems[system].title.padEnd(NAME_WIDTH) + cells.join('')
    })
  const judged = verdicts.filter((verdict) => verdict.workload === name).map(sentence)
  return [`${name}: ${title}`, head, ...rows, ...judged, ''].map((line) => `  ${line}`.trimEnd()).join('\n')
}

/** @param {import('./targets.mjs').Verdict} verdict */
function sentence({ met, value, unit, must, bound }) {
  return `${met ? '✓' : '✗'} ${number(value, 2)} ${unit} (target ${must === 'atLeast' ? '≥' : '≤'} ${bound})`
}

/** @param {number | null} value @param {number} digits */
function number(value, digits) {
  if (value === null) return '–'
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
