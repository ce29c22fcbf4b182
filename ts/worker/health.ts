import type { WorkerHealth } from '../../index'
import type { ErrorCode } from '../errors'
import { dateOrNull } from '../client/dto'

/** As the native side answers. */
export interface HealthDto {
  readonly state: WorkerHealth['state']
  readonly lastClaimAt: number | null
  readonly lastHeartbeatAt: number | null
  readonly lastCommitAt: number | null
  readonly lastError: { readonly code: ErrorCode; readonly message: string } | null
  readonly running: readonly {
    readonly runId: string
    readonly path: string
    readonly attempt: number
    readonly sinceMs: number
  }[]
  readonly slots: number
}

export function healthOf(dto: HealthDto): WorkerHealth {
  return {
    state: dto.state,
    lastClaimAt: dateOrNull(dto.lastClaimAt),
    lastHeartbeatAt: dateOrNull(dto.lastHeartbeatAt),
    lastCommitAt: dateOrNull(dto.lastCommitAt),
    lastError: dto.lastError,
    running: dto.running.map(({ runId, path, attempt, sinceMs }) => ({ runId, node: path, attempt, sinceMs })),
    slots: dto.slots,
  }
}

/** Of a worker that has no native side, because it was not started or has ended. */
export const STOPPED: WorkerHealth = Object.freeze({
  state: 'stopped',
  lastClaimAt: null,
  lastHeartbeatAt: null,
  lastCommitAt: null,
  lastError: null,
  running: Object.freeze([]),
  slots: 0,
})
