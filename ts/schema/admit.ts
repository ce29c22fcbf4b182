import { encode, type Payload } from '../codec'
import { PawlError } from '../errors'
import { shown } from '../options'
import { judge, type Verdict } from './judge'
import { misfit } from './misfit'
import type { Schema } from './schema'

/** A value that somebody hands in: `at` names it in paths (`input`), `what` in sentences. */
export interface Visitor {
  readonly value: unknown
  readonly at: string
  readonly what: string
}

/**
 * Writes a value that comes in from outside, as its schema gives it back. There is a promise only if the schema needs one:
 * without it, the value is written before the caller can change it.
 *
 * Throws PAWL_SCHEMA if it does not fit, and whatever writing it throws.
 */
export function admit(schema: Schema | undefined, visitor: Visitor): Payload | Promise<Payload> {
  if (schema === undefined) return encode(visitor.value, visitor.at)
  const verdict = asked(schema, visitor)
  return 'then' in verdict ? admitLater(verdict, visitor) : written(verdict, visitor)
}

function asked(schema: Schema, visitor: Visitor): Verdict | Promise<Verdict> {
  try {
    return judge(schema, visitor.value, visitor.at)
  } catch (error) {
    throw unchecked(visitor, error)
  }
}

async function admitLater(verdict: Promise<Verdict>, visitor: Visitor): Promise<Payload> {
  const settled = await verdict.catch((error: unknown) => {
    throw unchecked(visitor, error)
  })
  return written(settled, visitor)
}

function written(verdict: Verdict, { at, what }: Visitor): Payload {
  if (verdict.problems === null) return encode(verdict.value, at)
  const { problems } = verdict
  throw new PawlError('PAWL_SCHEMA', misfit(what, problems), { problems })
}

function unchecked({ what }: Visitor, error: unknown): PawlError {
  return new PawlError('PAWL_SCHEMA', `${what} could not be checked, its schema threw: ${reason(error)}`, {
    cause: error,
  })
}

function reason(error: unknown): string {
  try {
    const { message } = Object(error) as { readonly message?: unknown }
    return typeof message === 'string' ? message : shown(error)
  } catch {
    // A getter that throws tells nothing; the cause is there.
    return 'something that cannot be shown'
  }
}
