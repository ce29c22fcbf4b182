/** What the native side answers, in its names and order; see src/dto. Moments are milliseconds since 1970. */

import type { RunStatus } from '../../index'
import type { ErrorCode } from '../errors'

export interface StatusDto {
  readonly id: string
  readonly flow: string
  readonly hash: string
  readonly status: RunStatus['status']
  readonly node: string | null
  readonly wakeAt: number | null
  readonly signal: string | null
  readonly timeoutAt: number | null
  readonly reason: string | null
  readonly by: string | null
  readonly error: {
    readonly code: ErrorCode
    readonly path: string | null
    readonly attempt: number
    readonly message: string
  } | null
  readonly createdAt: number
  readonly endedAt: number | null
  readonly deadlineAt: number | null
  readonly attempt: {
    readonly path: string
    readonly number: number
    readonly failures: number
    readonly nextAt: number | null
  } | null
}

export interface HistoryEntryDto {
  readonly at: number
  readonly kind: string
  readonly path: string | null
  readonly attempt: number | null
  readonly code: ErrorCode | null
  readonly message: string | null
  readonly detail: unknown
}

export interface ExplanationDto {
  readonly id: string
  readonly status: RunStatus['status']
  readonly summary: string
  readonly open: readonly {
    readonly path: string
    readonly phase: string
    readonly attempt: number
    readonly failures: number
    readonly dueAt: number | null
    readonly worker: string | null
    readonly waitsFor: string | null
  }[]
}

/** A moment that may be unset. */
export function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
