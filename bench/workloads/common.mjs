/** What several workloads share. */

/** Runs `work(0..count-1)` with at most `unfinished` calls open at any moment. */
export async function upTo(
  /** @type {number} */ unfinished,
  /** @type {number} */ count,
  /** @type {(n: number) => Promise<void>} */ work,
) {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(unfinished, count) }, lane))
}

/** @param {string} what @param {unknown} got @param {unknown} wanted */
export function expectValue(what, got, wanted) {
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${JSON.stringify(got)}`)
}

/** The value below which the given share of all values lies. */
export function quantile(/** @type {number[]} */ values, /** @type {number} */ share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

export const median = (/** @type {number[]} */ values) => quantile(values, 0.5)

/** @param {number | null} total @param {number} count */
export const per = (total, count) => (total === null ? null : total / count)
