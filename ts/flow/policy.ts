import { boolean, count, duration, numberFrom, optionsOf } from '../options'
import type { Policy, RetryPolicy } from './definition'

/** What the native side can count to. */
const MAX_ATTEMPTS_MAX = 4_294_967_295

/** The options of a step, checked. `where` names the call, as in `step "charge"`. */
export function policyOf(where: string, given: unknown): Policy {
  const { timeout, retry } = optionsOf(where, given, ['timeout', 'retry'])
  return {
    ...(timeout === undefined ? {} : { timeoutMs: duration(timeout, 'timeout', { min: 1 }) }),
    ...(retry === undefined ? {} : { retry: retryOf(where, retry) }),
  }
}

function retryOf(where: string, given: unknown): RetryPolicy {
  const known = ['maxAttempts', 'backoff', 'factor', 'maxBackoff', 'jitter'] as const
  const { maxAttempts, backoff, factor, maxBackoff, jitter } = optionsOf(`retry of ${where}`, given, known)
  return {
    maxAttempts: count(maxAttempts, 'retry.maxAttempts', { min: 1, max: MAX_ATTEMPTS_MAX, fallback: 1 }),
    ...(backoff === undefined ? {} : { backoffMs: duration(backoff, 'retry.backoff') }),
    ...(factor === undefined ? {} : { factor: numberFrom(1, factor, 'retry.factor', 2) }),
    ...(maxBackoff === undefined ? {} : { maxBackoffMs: duration(maxBackoff, 'retry.maxBackoff') }),
    ...(jitter === undefined ? {} : { jitter: boolean(jitter, 'retry.jitter', true) }),
  }
}
