/** W4: start 20,000 runs that sleep an hour, 100 unfinished calls at once. */
import { residentBytes } from '../meter.mjs'
import { expectValue, upTo } from './common.mjs'

const UNFINISHED = 100
/** Runs that end, before the first sleeper: heap and page caches have their size then, and what grows is the sleepers. */
const WARM_UP_STEPS = 10

/** @type {import('./index.mjs').Workload} */
export const w4 = {
  title: `start runs that sleep an hour, ${UNFINISHED} unfinished calls at once`,
  sizes: { warmUp: 2_000, runs: 20_000 },
  quick: { warmUp: 1_000, runs: 5_000 },
  columns: [
    { key: 'startsPerSecond', title: 'starts/s', digits: 0 },
    { key: 'kibPerSleeper', title: 'KiB/sleeper', digits: 2 },
    { key: 'cpuMicrosPerStart', title: 'CPU µs/start', digits: 1 },
  ],
  shape: () => ({ chains: [WARM_UP_STEPS], fans: [] }),
  async measure({ system, sizes, meter }) {
    await upTo(UNFINISHED, sizes.warmUp, async (n) => {
      expectValue(`warm-${n}`, await system.chain(`warm-${n}`, WARM_UP_STEPS, n), n + WARM_UP_STEPS)
    })
    const bytesBefore = residentBytes()
    const stop = meter()
    await upTo(UNFINISHED, sizes.runs, (n) => system.sleep(`run-${n}`))
    const reading = stop()
    const bytesAfter = residentBytes()

    expectValue('runs asleep', await system.sleeping(), sizes.runs)
    return {
      startsPerSecond: sizes.runs / reading.seconds,
      kibPerSleeper: (bytesAfter - bytesBefore) / 1_024 / sizes.runs,
      cpuMicrosPerStart: reading.cpuMicros / sizes.runs,
    }
  },
}
