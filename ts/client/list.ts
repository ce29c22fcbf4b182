import { PawlError } from '../errors'
import { isFlow } from '../flow'
import { count, name, oneOf, optionsOf, shown } from '../options'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 100
const STATUSES = ['running', 'waiting', 'awaitingSignal', 'paused', 'completed', 'failed', 'cancelled'] as const

/** What `list` asks for, in the native side's form. */
export interface ListQuery {
  readonly flow: string | null
  readonly status: string | null
  readonly cursor: string | null
  readonly limit: number
}

export function listQuery(options: unknown): ListQuery {
  const { flow, status, cursor, limit } = optionsOf('list()', options, ['flow', 'status', 'cursor', 'limit'])
  return {
    flow: flow === undefined ? null : isFlow(flow) ? flow.name : name(flow, 'list()', 'option "flow"'),
    status: status === undefined ? null : oneOf(status, 'status', STATUSES, 'running'),
    cursor: cursorOf(cursor),
    limit: count(limit, 'limit', { min: 1, max: LIMIT_MAX, fallback: LIMIT_DEFAULT }),
  }
}

/** Longer than any that is answered; what is shorter is judged by who reads it. */
const CURSOR_CHARS_MAX = 100

function cursorOf(cursor: unknown): string | null {
  if (cursor === undefined || cursor === null) return null
  if (typeof cursor === 'string' && cursor.length <= CURSOR_CHARS_MAX) return cursor
  if (typeof cursor === 'string') {
    const help = 'is not one that list() answered; pass the cursor of the page before'
    throw new PawlError('PAWL_ARGUMENT', `The cursor ${shown(cursor)} ${help}`)
  }
  throw new PawlError('PAWL_OPTION', `"cursor" is ${shown(cursor)}; give the cursor of the page before.`)
}
