import { encode, type Payload } from '../codec'
import { oneOf, optionsOf, runId } from '../options'
import { newRunId } from './ids'

/** What `start` and `run` ask for besides the flow. */
export interface StartRequest {
  readonly id: string
  readonly onConflict: string
  readonly input: Payload
}

export function startRequest(where: string, input: unknown, options: unknown): StartRequest {
  const { id, onConflict } = optionsOf(where, options, ['id', 'onConflict'])
  return {
    id: id === undefined ? newRunId() : runId(id, where),
    onConflict: oneOf(onConflict, 'onConflict', ['fail', 'useExisting', 'terminateExisting'], 'fail'),
    input: encode(input, 'input'),
  }
}
