/** W1: 10 sequential steps per run, up to 100 runs unfinished at once, one process. */
import { expectValue, per, upTo } from './common.mjs'

const STEPS = 10
const UNFINISHED = 100

/** @type {import('./index.mjs').Workload} */
export const w1 = {
  title: `${STEPS} sequential steps per run, up to ${UNFINISHED} runs unfinished at once`,
  sizes: { warmUp: 200, runs: 2_000 },
  quick: { warmUp: 50, runs: 300 },
  columns: [
    { key: 'stepsPerSecond', title: 'steps/s', digits: 0 },
    { key: 'commitsPerStep', title: 'commits/step', digits: 3 },
    { key: 'bytesPerStep', title: 'bytes/step', digits: 0 },
    { key: 'cpuMicrosPerStep', title: 'CPU µs/step', digits: 1 },
  ],
  shape: () => ({ chains: [STEPS], fans: [] }),
  async measure({ system, sizes, meter }) {
    const run = (/** @type {string} */ name) => async (/** @type {number} */ n) =>
      expectValue(`${name}-${n}`, await system.chain(`${name}-${n}`, STEPS, n), n + STEPS)

    await upTo(UNFINISHED, sizes.warmUp, run('warm'))
    const stop = meter()
    await upTo(UNFINISHED, sizes.runs, run('run'))
    const reading = stop()

    const steps = sizes.runs * STEPS
    return {
      stepsPerSecond: steps / reading.seconds,
      commitsPerStep: per(reading.commits, steps),
      bytesPerStep: per(reading.bytesWritten, steps),
      cpuMicrosPerStep: reading.cpuMicros / steps,
    }
  },
}
