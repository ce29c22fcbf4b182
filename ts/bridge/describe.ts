import { types } from 'node:util'
import { fit, shown } from './text'

/** How much of an error is copied when the whole of it is too much; bytes of UTF-8. */
export interface Extent {
  readonly messageBytesMax: number
  readonly stackBytesMax: number
  /** How deep its chain of causes is followed. */
  readonly causes: number
}

const NAME_BYTES_MAX = 256

/** What the thrown value says, in words. */
export function messageOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (!isErrorLike(value)) return `A value that is not an Error was thrown: ${shown(value)}`
  return textAt(value, 'message') || textAt(value, 'name') || 'An error without a message was thrown'
}

/** A copy that is small enough to be recorded; what is shortened says so. */
export function shortened(value: unknown, extent: Extent): unknown {
  if (!isErrorLike(value)) return fit(typeof value === 'string' ? value : shown(value), extent.messageBytesMax)
  const copy = new Error(fit(textAt(value, 'message'), extent.messageBytesMax))
  define(copy, 'name', fit(textAt(value, 'name') || 'Error', NAME_BYTES_MAX))
  define(copy, 'stack', fit(textAt(value, 'stack'), extent.stackBytesMax))
  const code = at(value, 'code')
  if (typeof code === 'number') define(copy, 'code', code)
  if (typeof code === 'string') define(copy, 'code', fit(code, NAME_BYTES_MAX))
  const cause = extent.causes > 0 ? at(value, 'cause') : undefined
  if (cause !== undefined) define(copy, 'cause', shortened(cause, { ...extent, causes: extent.causes - 1 }))
  return copy
}

/** Errors of other realms and DOMExceptions are no `instanceof Error` here. */
function isErrorLike(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return (
    types.isNativeError(value) || (typeof at(value, 'message') === 'string' && typeof at(value, 'name') === 'string')
  )
}

function define(error: Error, key: string, value: unknown): void {
  const enumerable = key === 'code'
  Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true })
}

/** A member of an object that may be a proxy or have getters that throw. */
function at(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key]
  } catch {
    return undefined // Such a member says nothing.
  }
}

function textAt(object: object, key: string): string {
  const value = at(object, key)
  return typeof value === 'string' ? value : value === undefined ? '' : shown(value)
}
