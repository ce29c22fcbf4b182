/** idle: a worker that has nothing to do should cost nothing but its heartbeats. */
import { setTimeout as wait } from 'node:timers/promises'

/** @type {import('./index.mjs').Workload} */
export const idle = {
  title: 'a worker with nothing to do',
  sizes: { idleMs: 12_000 },
  quick: { idleMs: 6_000 },
  systems: ['pawl-sqlite', 'pawl-memory'],
  columns: [
    { key: 'cpuPercent', title: '% of a core', digits: 2 },
    { key: 'commitsPerMinute', title: 'commits/min', digits: 0 },
  ],
  shape: () => ({ chains: [10], fans: [] }),
  async measure({ system, sizes, meter }) {
    await system.chain('warm', 10, 0)
    const stop = meter()
    await wait(sizes.idleMs)
    const reading = stop()
    return {
      cpuPercent: reading.cpuMicros / 10_000 / reading.seconds,
      commitsPerMinute: reading.commits === null ? null : (reading.commits / reading.seconds) * 60,
    }
  },
}
