import { encode, type Payload } from '../codec'
import { claimTtl, oneOf, optionsOf, runId } from '../options'
import { newRunId } from './ids'

interface Given {
  readonly id?: unknown
  readonly onConflict?: unknown
}

/** What `start` and `run` ask for besides the flow. */
export interface StartRequest {
  readonly id: string
  readonly onConflict: string
  readonly input: Payload
}

/** What `run` asks for besides the flow. */
export interface RunRequest extends StartRequest {
  readonly claimTtlMs: number
}

export function startRequest(input: unknown, options: unknown): StartRequest {
  return requestOf('start()', input, optionsOf('start()', options, ['id', 'onConflict']))
}

export function runRequest(input: unknown, options: unknown): RunRequest {
  const given = optionsOf('run()', options, ['id', 'onConflict', 'claimTtl'])
  return { ...requestOf('run()', input, given), claimTtlMs: claimTtl(given.claimTtl) }
}

function requestOf(where: string, input: unknown, { id, onConflict }: Given): StartRequest {
  return {
    id: id === undefined ? newRunId() : runId(id, where),
    onConflict: oneOf(onConflict, 'onConflict', ['fail', 'useExisting', 'terminateExisting'], 'fail'),
    input: encode(input, 'input'),
  }
}
