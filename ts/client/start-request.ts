import type { Payload } from '../codec'
import { type Flow, partsOf } from '../flow'
import { claimTtl, oneOf, optionsOf, runId, shown } from '../options'
import { admit } from '../schema'
import { newRunId } from './ids'

interface Given {
  readonly id?: unknown
  readonly onConflict?: unknown
}

/** What `start` and `run` ask for besides flow and input. */
export interface StartRequest {
  readonly id: string
  readonly onConflict: string
}

/** What `run` asks for besides flow and input. */
export interface RunRequest extends StartRequest {
  readonly claimTtlMs: number
}

export function startRequest(options: unknown): StartRequest {
  return requestOf('start()', optionsOf('start()', options, ['id', 'onConflict']))
}

export function runRequest(options: unknown): RunRequest {
  const given = optionsOf('run()', options, ['id', 'onConflict', 'claimTtl'])
  return { ...requestOf('run()', given), claimTtlMs: claimTtl(given.claimTtl) }
}

function requestOf(where: string, { id, onConflict }: Given): StartRequest {
  return {
    id: id === undefined ? newRunId() : runId(id, where),
    onConflict: oneOf(onConflict, 'onConflict', ['fail', 'useExisting', 'terminateExisting'], 'fail'),
  }
}

/** The input, as it is stored. A flow that is only known by its name has no schema here. */
export function inputOf(flow: Flow | string, input: unknown): Payload | Promise<Payload> {
  const schema = typeof flow === 'string' ? undefined : partsOf(flow).schemas?.input
  const name = typeof flow === 'string' ? flow : flow.name
  return admit(schema, { value: input, at: 'input', what: `The input of flow ${shown(name)}` })
}
