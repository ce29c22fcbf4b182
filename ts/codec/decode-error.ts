import { toErrorCode } from '../errors/codes'
import { PawlError } from '../errors/pawl-error'
import { setOwn } from './tag'

/** An error as it is stored; see docs/FORMATS.md. */
export interface StoredError {
  readonly class: string
  readonly name: string
  readonly message: string
  readonly stack: string | null
  readonly cause?: unknown
  readonly errors?: unknown
  readonly fields?: Readonly<Record<string, unknown>>
}

const CLASSES: Readonly<Record<string, new (message: string) => Error>> = {
  __proto__: null as never,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
}

/** A real error of this realm, of the closest built-in class, with everything that was kept. */
export function decodeError(stored: StoredError, revive: (stored: unknown) => unknown): Error {
  const error = create(stored)
  if (error.name !== stored.name) hidden(error, 'name', stored.name)
  hidden(error, 'stack', stored.stack ?? undefined)
  if (Object.hasOwn(stored, 'cause')) hidden(error, 'cause', revive(stored.cause))
  if (Object.hasOwn(stored, 'errors')) hidden(error, 'errors', revive(stored.errors))
  const fields = stored.fields ?? {}
  for (const key of Object.keys(fields)) {
    // The fields a class makes by itself (`code` of a DOMException) are not written twice.
    if (!(key in error) || Object.hasOwn(error, key)) setOwn(error, key, revive(fields[key]))
  }
  return error
}

function create({ class: kind, name, message, fields }: StoredError): Error {
  if (kind === 'PawlError') return new PawlError(toErrorCode(fields?.code), message)
  if (kind === 'DOMException') return new DOMException(message, name)
  if (kind === 'AggregateError') return new AggregateError([], message)
  return new (CLASSES[kind] ?? Error)(message)
}

/** As the language defines them: there, but not among the error's enumerable fields. */
function hidden(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, enumerable: false, configurable: true, writable: true })
}
