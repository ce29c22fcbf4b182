/**
 * What the bridge needs from its surroundings, taken once when it is loaded: fake timers that a test installs later
 * (jest, sinon) replace the globals and must not stop a worker.
 */
import * as timers from 'node:timers'

/** Runs after the I/O of this turn of the event loop. */
export const afterThisTurn: (callback: () => void) => unknown = timers.setImmediate

/** Runs as soon as the code that is running now has returned. */
export const atOnce: (callback: () => void) => void = queueMicrotask

/** The real Date. */
export const RealDate: DateConstructor = Date
