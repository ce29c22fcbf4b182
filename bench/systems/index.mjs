/**
 * What a workload asks of the thing it measures. Each system stores every result durably before anything depends on it.
 *
 * @typedef {object} System
 * @property {(id: string, steps: number, input: number) => Promise<number>} chain One run of sequential steps; its result.
 * @property {(id: string, width: number, input: number) => Promise<number>} fan One run that forks and sums; its result.
 * @property {(id: string) => Promise<void>} sleep Starts a run that sleeps an hour; resolves when the start is durable.
 * @property {() => Promise<number>} sleeping How many runs the store says are asleep.
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Shape What a workload is going to ask for, so that flows can be built before the clock starts.
 * @property {number[]} chains
 * @property {number[]} fans
 *
 * @typedef {object} Place
 * @property {string | null} file The SQLite file, or null for memory.
 * @property {Shape} shape
 */

/**
 * Opened on demand, so that reading a report needs no driver.
 * @type {Record<string, { title: string, onDisk: boolean, open: (place: Place) => Promise<System> }>}
 */
export const systems = {
  'pawl-sqlite': { title: 'pawl, sqlite', onDisk: true, open: pawl },
  hand: { title: 'hand, sqlite', onDisk: true, open: hand },
  'hand-batch': { title: 'hand-batch, sqlite', onDisk: true, open: handBatch },
  'pawl-memory': { title: 'pawl, memory', onDisk: false, open: pawl },
}

async function pawl(/** @type {Place} */ place) {
  const { openPawl } = await import('./pawl.mjs')
  return openPawl(place)
}

async function hand(/** @type {Place} */ place) {
  const { openHand } = await import('../yardsticks/hand.mjs')
  return openHand(place)
}

async function handBatch(/** @type {Place} */ place) {
  const { openHandBatch } = await import('../yardsticks/hand.mjs')
  return openHandBatch(place)
}
