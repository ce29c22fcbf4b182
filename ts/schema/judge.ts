import { types } from 'node:util'
import { describePath } from '../codec'
import { PawlError } from '../errors'
import { shown } from '../options'
import type { Schema } from './schema'

/** Where a value does not fit, and why. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** The value as the schema gives it back, or what is wrong with it. */
export type Verdict = { readonly value: unknown; readonly problems: null } | { readonly problems: readonly Problem[] }

/** Libraries quote the value in their messages, and a value may be long. */
const MESSAGE_CHARS_MAX = 300

/**
 * Asks a schema about a value, which `at` names (`input`). The answer is a promise only if the schema's is. Throws, or
 * rejects with, what the schema throws, and PAWL_SCHEMA for an answer that is none.
 */
export function judge(schema: Schema, value: unknown, at: string): Verdict | Promise<Verdict> {
  const answer = schema['~standard'].validate(value)
  return isThenable(answer) ? verdictLater(answer, at) : verdict(answer, at)
}

async function verdictLater(answer: PromiseLike<unknown>, at: string): Promise<Verdict> {
  return verdict(await answer, at)
}

function verdict(answer: unknown, at: string): Verdict {
  if (typeof answer === 'object' && answer !== null) {
    const { issues } = answer as { readonly issues?: unknown }
    if (Array.isArray(issues)) return { problems: Array.from(issues, (issue) => problem(issue, at)) }
    if (!issues && 'value' in answer) return { value: answer.value, problems: null }
  }
  const help = 'a Standard Schema answers { value } or { issues }.'
  throw new PawlError('PAWL_SCHEMA', `The schema answered with ${shown(answer)}; ${help}`)
}

function problem(issue: unknown, at: string): Problem {
  const { message, path } = Object(issue) as { readonly message?: unknown; readonly path?: unknown }
  const text = typeof message === 'string' && message !== '' ? message : 'it does not fit'
  return {
    path: describePath(at, Array.isArray(path) ? path.map(segment) : []),
    message: text.length > MESSAGE_CHARS_MAX ? `${text.slice(0, MESSAGE_CHARS_MAX)}…` : text,
  }
}

/** A segment is a key, or an object that holds one. */
function segment(given: unknown): string | number {
  const key = typeof given === 'object' && given !== null && 'key' in given ? given.key : given
  return typeof key === 'number' ? key : String(key)
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (types.isPromise(value)) return true
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
