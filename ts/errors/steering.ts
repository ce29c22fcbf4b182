import { duration } from '../options/duration'
import { brand } from './pawl-error'

const NON_RETRYABLE = Symbol.for('pawl.error.nonRetryable')
const RETRY_AFTER = Symbol.for('pawl.error.retryAfter')

/** Thrown by a step: another attempt would not help. */
export class NonRetryableError extends Error {}

/** Thrown by a step: the next attempt should begin after this wait. */
export class RetryAfterError extends Error {
  readonly afterMs: number

  constructor(message: string, after: string | number, options?: { cause?: unknown }) {
    super(message, options)
    this.afterMs = duration(after, 'after')
  }
}

brand(NonRetryableError, 'NonRetryableError', NON_RETRYABLE)
brand(RetryAfterError, 'RetryAfterError', RETRY_AFTER)

/** What a thrown value asks of the retry policy. Realm-safe, and sturdy against any thrown value. */
export function steeringOf(thrown: unknown): { retryable: boolean; retryAfterMs: number | null } {
  try {
    if (typeof thrown !== 'object' || thrown === null) return { retryable: true, retryAfterMs: null }
    const branded = thrown as Record<PropertyKey, unknown>
    if (branded[NON_RETRYABLE] === true) return { retryable: false, retryAfterMs: null }
    if (branded[RETRY_AFTER] === true) return { retryable: true, retryAfterMs: branded.afterMs as number }
  } catch {
    // A proxy or a getter that throws asks for nothing.
  }
  return { retryable: true, retryAfterMs: null }
}
