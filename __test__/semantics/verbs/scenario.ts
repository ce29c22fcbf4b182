import type { PawlError } from 'pawl'
import type { Rig } from '../rig'

/** One thing that flows can do, played on any rig. Its name is a row of docs/VERBS.md. */
export type Scenario = (rig: Rig) => Promise<void>
export type Scenarios = Readonly<Record<string, Scenario>>

/** Three attempts, hardly apart. */
export const quick = { maxAttempts: 3, backoff: 5, jitter: false } as const

export const add = (by: number) => async (value: number) => value + by

/** Waits for the abort that must come, and tells its reason. */
export const aborted = (signal: AbortSignal) =>
  new Promise<PawlError>((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
    if (signal.aborted) resolve(signal.reason)
  })
