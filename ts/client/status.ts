import type { RunFacts, RunFailure, RunStatus, RunSummary } from '../../index'
import type { Answer, Encoded } from '../bridge'
import { decode } from '../codec'
import { dateOrNull, type StatusDto } from './dto'

/** A status with its values: the output of a completed run, the cause of a failed one. Of what type they are, the caller's flow says. */
export function statusOf<Output = unknown>({ data, payload }: Answer<StatusDto>): RunStatus<Output> {
  const summary = summaryOf(data)
  if (summary.status === 'completed') return { ...summary, output: read(payload) as Output }
  if (summary.status === 'failed') return { ...summary, error: failureOf(summary.error, payload) }
  return summary
}

/** A status without values. */
export function summaryOf(dto: StatusDto): RunSummary {
  const facts: RunFacts = {
    id: dto.id,
    flow: dto.flow,
    hash: dto.hash,
    createdAt: new Date(dto.createdAt),
    deadlineAt: dateOrNull(dto.deadlineAt),
  }
  const { status, reason, by } = dto
  const endedAt = new Date(dto.endedAt ?? Number.NaN)
  switch (status) {
    case 'running':
      return { ...facts, status, attempt: attemptOf(dto.attempt) }
    case 'waiting':
      return { ...facts, status, node: dto.node as string, wakeAt: new Date(dto.wakeAt as number) }
    case 'awaitingSignal':
      return {
        ...facts,
        status,
        node: dto.node as string,
        signal: dto.signal as string,
        timeoutAt: dateOrNull(dto.timeoutAt),
      }
    case 'paused':
      return { ...facts, status, reason, by }
    case 'completed':
      return { ...facts, status, endedAt }
    case 'failed':
      return { ...facts, status, error: errorOf(dto.error), endedAt }
    case 'cancelled':
      return { ...facts, status, reason, by, endedAt }
  }
}

function attemptOf(dto: StatusDto['attempt']) {
  return dto && { node: dto.path, number: dto.number, failures: dto.failures, nextAt: dateOrNull(dto.nextAt) }
}

function errorOf(dto: StatusDto['error']): RunFailure {
  if (dto === null)
    return { code: 'PAWL_INTERNAL', message: 'The run failed without a reason', node: null, attempt: null }
  return { code: dto.code, message: dto.message, node: dto.path, attempt: dto.attempt === 0 ? null : dto.attempt }
}

function failureOf(error: RunFailure, payload: Encoded | null): RunFailure {
  return payload === null ? error : { ...error, cause: read(payload) }
}

function read(payload: Encoded | null): unknown {
  return payload === null ? undefined : decode(payload.codec, payload.text)
}
