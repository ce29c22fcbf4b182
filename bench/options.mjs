/** The command line of the benchmark. */
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { workloads } from './workloads/index.mjs'

export const USAGE = `Usage: node bench/run.mjs [options]

  --store sqlite|memory|all   which stores of pawl to measure (default: all)
  --workloads W1,W2,…         which workloads (default: all of ${Object.keys(workloads).join(', ')})
  --rounds N                  alternated rounds, medians are reported (default: 3, with --quick 1)
  --quick                     smaller sizes: a look, not a measurement
  --dir FOLDER                where the databases are made (default: the folder for temporary files)
  --json FILE                 also write everything as JSON
`

const SYSTEMS_OF_STORE = {
  sqlite: ['pawl-sqlite', 'hand', 'hand-batch'],
  memory: ['pawl-memory'],
  all: ['pawl-sqlite', 'hand', 'hand-batch', 'pawl-memory'],
}

/** @typedef {{ systems: string[], workloads: string[], rounds: number, quick: boolean, dir: string, json: string | null }} Options */

/** @param {string[]} args @returns {Options} */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      store: { type: 'string', default: 'all' },
      workloads: { type: 'string', default: Object.keys(workloads).join(',') },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      dir: { type: 'string', default: tmpdir() },
      json: { type: 'string' },
    },
  })
  const systems = SYSTEMS_OF_STORE[/** @type {keyof typeof SYSTEMS_OF_STORE} */ (values.store)]
  if (systems === undefined) throw new Error(`--store: expected sqlite, memory or all, got "${values.store}"`)

  const asked = values.workloads.split(',')
  const unknown = asked.filter((name) => !(name in workloads))
  if (unknown.length > 0)
    throw new Error(`--workloads: unknown ${unknown.join(', ')}; there are ${Object.keys(workloads).join(', ')}`)

  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3))
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds: expected a whole number from 1, got "${values.rounds}"`)

  return { systems, workloads: asked, rounds, quick: values.quick, dir: values.dir, json: values.json ?? null }
}
