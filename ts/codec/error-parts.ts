import { PawlError } from '../errors/pawl-error'
import { isDomException } from './shape'

/** What is kept of an error. `members` and `fields` are read by the caller: each may throw, or hold what cannot be stored. */
export interface ErrorParts {
  /** The built-in class to make it from again. */
  readonly class: string
  readonly name: string
  readonly message: string
  readonly stack: string | null
  /** `cause`, and `errors` of an AggregateError, if they are there. */
  readonly members: readonly string[]
  /** The error's own enumerable fields, such as `code`. */
  readonly fields: readonly string[]
}

const BUILT_IN: readonly string[] = [
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
]
const NOT_FIELDS: readonly string[] = ['name', 'message', 'stack']

export function errorParts(error: Error): ErrorParts {
  const kind = classOf(error)
  // `errors` of a validation error is a field like any other; only an AggregateError's is a part of the language.
  const languages = kind === 'AggregateError' ? ['cause', 'errors'] : ['cause']
  return {
    class: kind,
    name: text(error, 'name') ?? 'Error',
    message: text(error, 'message') ?? '',
    stack: text(error, 'stack') ?? null,
    members: languages.filter((key) => Object.hasOwn(error, key)),
    fields: Object.keys(error).filter((key) => !NOT_FIELDS.includes(key) && !languages.includes(key)),
  }
}

/** The closest built-in class of the error's prototype chain, found by name: it may be from another realm. */
function classOf(error: Error): string {
  if (isDomException(error)) return 'DOMException'
  if (PawlError.is(error)) return 'PawlError'
  for (let proto: object | null = Object.getPrototypeOf(error); proto !== null; proto = Object.getPrototypeOf(proto)) {
    const name: unknown = Object.hasOwn(proto, 'constructor') ? proto.constructor.name : undefined
    if (typeof name === 'string' && BUILT_IN.includes(name)) return name
  }
  return 'Error'
}

function text(error: Error, key: 'name' | 'message' | 'stack'): string | undefined {
  try {
    const value: unknown = error[key]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined // An error whose message cannot be read is still an error.
  }
}
