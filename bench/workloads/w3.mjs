/** W3: one run forks 100 parallel steps and joins, repeated. */
import { expectValue, per, upTo } from './common.mjs'

const WIDTH = 100

/** @type {import('./index.mjs').Workload} */
export const w3 = {
  title: `one run forks ${WIDTH} parallel steps and joins, repeated`,
  sizes: { warmUp: 10, runs: 60 },
  quick: { warmUp: 3, runs: 15 },
  columns: [
    { key: 'stepsPerSecond', title: 'steps/s', digits: 0 },
    { key: 'msPerJoin', title: 'ms/join', digits: 2 },
    { key: 'commitsPerStep', title: 'commits/step', digits: 3 },
    { key: 'cpuMicrosPerStep', title: 'CPU µs/step', digits: 1 },
  ],
  shape: () => ({ chains: [], fans: [WIDTH] }),
  async measure({ system, sizes, meter }) {
    const run = (/** @type {string} */ name) => async (/** @type {number} */ n) =>
      expectValue(`${name}-${n}`, await system.fan(`${name}-${n}`, WIDTH, n), WIDTH * (n + 1))

    await upTo(1, sizes.warmUp, run('warm'))
    const stop = meter()
    await upTo(1, sizes.runs, run('run'))
    const reading = stop()

    const steps = sizes.runs * WIDTH
    return {
      stepsPerSecond: steps / reading.seconds,
      msPerJoin: (reading.seconds * 1_000) / sizes.runs,
      commitsPerStep: per(reading.commits, steps),
      cpuMicrosPerStep: reading.cpuMicros / steps,
    }
  },
}
