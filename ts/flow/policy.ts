import { boolean, count, duration, numberFrom, optionsOf } from '../options'
import { optionalSchema } from '../schema'
import type { Work } from './chain'
import type { Policy, RetryPolicy } from './definition'

/** What the native side can count to. */
const MAX_ATTEMPTS_MAX = 4_294_967_295
/** The longest wait that nobody asked for. */
const MAX_BACKOFF_DEFAULT = '5m'

/** The options of a step, checked. `where` names the call, as in `step "charge"`. */
export function stepOptions(where: string, given: unknown): Omit<Work, 'fn'> {
  const { timeout, retry, output } = optionsOf(where, given, ['timeout', 'retry', 'output'])
  const policy: Policy = {
    ...(timeout === undefined ? {} : { timeoutMs: duration(timeout, 'timeout', { min: 1 }) }),
    ...(retry === undefined ? {} : { retry: retryOf(where, retry) }),
  }
  return { policy, output: optionalSchema(output, where, 'output') }
}

function retryOf(where: string, given: unknown): RetryPolicy {
  const known = ['maxAttempts', 'backoff', 'factor', 'maxBackoff', 'jitter'] as const
  const { maxAttempts, backoff, factor, maxBackoff, jitter } = optionsOf(`retry of ${where}`, given, known)
  return {
    maxAttempts: count(maxAttempts, 'retry.maxAttempts', { min: 1, max: MAX_ATTEMPTS_MAX, fallback: 1 }),
    ...backoffOf(backoff, maxBackoff),
    ...(factor === undefined ? {} : { factor: numberFrom(1, factor, 'retry.factor', 2) }),
    ...(jitter === undefined ? {} : { jitter: boolean(jitter, 'retry.jitter', true) }),
  }
}

/** A wait that was asked for is not cut short by a limit that was not. */
function backoffOf(backoff: unknown, maxBackoff: unknown): Pick<RetryPolicy, 'backoffMs' | 'maxBackoffMs'> {
  const limit = maxBackoff === undefined ? {} : { maxBackoffMs: duration(maxBackoff, 'retry.maxBackoff') }
  if (backoff === undefined) return limit
  const backoffMs = duration(backoff, 'retry.backoff')
  if (maxBackoff !== undefined || backoffMs <= duration(MAX_BACKOFF_DEFAULT, 'retry.maxBackoff')) {
    return { backoffMs, ...limit }
  }
  return { backoffMs, maxBackoffMs: backoffMs }
}
