/** W2: one run at a time, 5 steps, 200 runs: how long from start to result? */
import { performance } from 'node:perf_hooks'
import { expectValue, per, quantile, upTo } from './common.mjs'

const STEPS = 5

/** @type {import('./index.mjs').Workload} */
export const w2 = {
  title: `one run at a time, ${STEPS} steps: ms from start to result`,
  sizes: { warmUp: 40, runs: 200 },
  quick: { warmUp: 10, runs: 50 },
  columns: [
    { key: 'p50Ms', title: 'p50 ms', digits: 2 },
    { key: 'p95Ms', title: 'p95 ms', digits: 2 },
    { key: 'commitsPerStep', title: 'commits/step', digits: 3 },
  ],
  shape: () => ({ chains: [STEPS], fans: [] }),
  async measure({ system, sizes, meter }) {
    const run = (/** @type {string} */ name) => async (/** @type {number} */ n) =>
      expectValue(`${name}-${n}`, await system.chain(`${name}-${n}`, STEPS, n), n + STEPS)

    await upTo(1, sizes.warmUp, run('warm'))
    /** @type {number[]} */
    const took = []
    const measured = run('run')
    const stop = meter()
    for (let n = 0; n < sizes.runs; n++) {
      const startedAt = performance.now()
      await measured(n)
      took.push(performance.now() - startedAt)
    }
    const reading = stop()
    return {
      p50Ms: quantile(took, 0.5),
      p95Ms: quantile(took, 0.95),
      commitsPerStep: per(reading.commits, sizes.runs * STEPS),
    }
  },
}
