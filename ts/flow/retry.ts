import type { RetryPolicy } from './definition'

/** As on the native side: what a retry policy means where it says nothing. */
export const RETRY_DEFAULTS: Required<RetryPolicy> = {
  maxAttempts: 1,
  backoffMs: 1_000,
  factor: 2,
  maxBackoffMs: 300_000,
  jitter: true,
}

/** All waits between the attempts together, none of them shortened by jitter. A formula, for there may be billions. */
export function longestWaitsMs(retry: Required<RetryPolicy>): number {
  const { backoffMs, factor, maxBackoffMs } = retry
  const waits = retry.maxAttempts - 1
  if (waits === 0 || backoffMs === 0) return 0
  if (backoffMs >= maxBackoffMs) return waits * maxBackoffMs
  if (factor === 1) return waits * backoffMs
  const growth = Math.log1p(factor - 1)
  const growing = Math.min(waits, Math.ceil(Math.log(maxBackoffMs / backoffMs) / growth))
  const grown = (backoffMs * Math.expm1(growing * growth)) / (factor - 1)
  return Math.round(grown) + (waits - growing) * maxBackoffMs
}
