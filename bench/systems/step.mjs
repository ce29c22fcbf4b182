/** The one step of every workload. */
export const addOne = async (/** @type {number} */ x) => x + 1

export const HOUR_MS = 3_600_000
