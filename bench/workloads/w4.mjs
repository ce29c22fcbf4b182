/** W4: start 20,000 runs that sleep an hour, 100 unfinished calls at once. */
import { residentBytes } from '../meter.mjs'
import { expectValue, upTo } from './common.mjs'

const UNFINISHED = 100

/** @type {import('./index.mjs').Workload} */
export const w4 = {
  title: `start runs that sleep an hour, ${UNFINISHED} unfinished calls at once`,
  sizes: { warmUp: 2_000, runs: 20_000 },
  quick: { warmUp: 500, runs: 5_000 },
  columns: [
    { key: 'startsPerSecond', title: 'starts/s', digits: 0 },
    { key: 'kibPerSleeper', title: 'KiB/sleeper', digits: 2 },
    { key: 'cpuMicrosPerStart', title: 'CPU µs/start', digits: 1 },
  ],
  shape: () => ({ chains: [], fans: [] }),
  async measure({ system, sizes, meter }) {
    await upTo(UNFINISHED, sizes.warmUp, (n) => system.sleep(`warm-${n}`))
    const bytesBefore = residentBytes()
    const stop = meter()
    await upTo(UNFINISHED, sizes.runs, (n) => system.sleep(`run-${n}`))
    const reading = stop()
    const bytesAfter = residentBytes()

    expectValue('runs asleep', await system.sleeping(), sizes.warmUp + sizes.runs)
    return {
      startsPerSecond: sizes.runs / reading.seconds,
      kibPerSleeper: (bytesAfter - bytesBefore) / 1_024 / sizes.runs,
      cpuMicrosPerStart: reading.cpuMicros / sizes.runs,
    }
  },
}
