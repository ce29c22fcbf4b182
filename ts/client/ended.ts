import type { CancelledStatus, FailedStatus, RunStatus } from '../../index'
import { PawlError, type RunOfError } from '../errors'
import { shown } from '../options'

/** The output of a run that has ended. Throws what stands for any other end. */
export function outputOf<Output>(status: RunStatus<Output>): Output {
  switch (status.status) {
    case 'completed':
      return status.output
    case 'failed':
      throw failed(status)
    case 'cancelled':
      throw cancelled(status)
    default:
      throw new PawlError('PAWL_INTERNAL', `Run ${shown(status.id)} was reported as ended, but it is ${status.status}`)
  }
}

function failed({ id, flow, error }: FailedStatus): PawlError {
  const { code, message, node, attempt } = error
  const at = node === null ? '' : ` at ${shown(node)}`
  const on = attempt === null ? '' : ` on attempt ${attempt}`
  const run: RunOfError = { id, flow, node, attempt, code, reason: null, by: null }
  const cause = 'cause' in error ? { cause: error.cause } : {}
  return new PawlError('PAWL_RUN_FAILED', `Run ${shown(id)} of flow ${shown(flow)} failed${at}${on}: ${message}`, {
    ...cause,
    run,
  })
}

function cancelled({ id, flow, reason, by }: CancelledStatus): PawlError {
  const who = by === null ? '' : ` by ${by}`
  const why = reason === null ? '' : `: ${reason}`
  const run: RunOfError = { id, flow, node: null, attempt: null, code: 'PAWL_RUN_CANCELLED', reason, by }
  return new PawlError('PAWL_RUN_CANCELLED', `Run ${shown(id)} of flow ${shown(flow)} was cancelled${who}${why}`, {
    run,
  })
}
