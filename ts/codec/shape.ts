import { types } from 'node:util'

/**
 * What a value is, whatever realm it was made in: under jest the classes a test sees are not the ones this module sees,
 * so `instanceof` proves nothing. How far a prototype chain is from its end tells a built-in from a subclass of it.
 */

/** A plain object: made by a literal, by `JSON.parse` or by `Object.create(null)`. */
export function isPlainObject(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value)
  return proto === null || proto === Object.prototype || isForeignObjectPrototype(proto as object)
}

/** A plain array, not one of a subclass. In every realm `Array.prototype` is itself an array, and no subclass's is. */
export function isPlainArray(value: object): value is unknown[] {
  if (!Array.isArray(value)) return false
  const proto: unknown = Object.getPrototypeOf(value)
  return proto === Array.prototype || Array.isArray(proto)
}

function isForeignObjectPrototype(proto: object): boolean {
  return (
    Object.getPrototypeOf(proto) === null && Object.hasOwn(proto, 'isPrototypeOf') && Object.hasOwn(proto, 'toString')
  )
}

/** How many prototypes lie between a value and the end of its chain, its own one included. */
export function prototypesOf(value: object): number {
  let count = 0
  for (let proto = Object.getPrototypeOf(value); proto !== null; proto = Object.getPrototypeOf(proto)) count++
  return count
}

/** An object of a built-in class directly below `Object`. */
export const isDirect = (value: object) => prototypesOf(value) === 2

export function isUrl(value: object): value is URL {
  return Object.prototype.toString.call(value) === '[object URL]' && isDirect(value) && 'href' in value
}

export function isDomException(value: object): value is DOMException {
  return Object.prototype.toString.call(value) === '[object DOMException]' && 'message' in value && 'code' in value
}

export function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null) return false
  return types.isNativeError(value) || isDomException(value)
}

/** The name of the class of binary data, or `undefined` if it is none that can be stored. */
export function binaryKind(value: object): string | undefined {
  if (types.isArrayBuffer(value)) return isDirect(value) ? 'ArrayBuffer' : undefined
  if (!ArrayBuffer.isView(value)) return undefined
  if (Buffer.isBuffer(value)) return 'Buffer'
  if (types.isDataView(value)) return isDirect(value) ? 'DataView' : undefined
  // A typed array has one more prototype than its siblings: they share %TypedArray%.
  return prototypesOf(value) === 3 ? Object.prototype.toString.call(value).slice('[object '.length, -1) : undefined
}

export function base64(value: ArrayBuffer | ArrayBufferView): string {
  const bytes = ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength)
    : Buffer.from(value)
  return bytes.toString('base64')
}

export function className(value: object): string {
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== ''
    ? name
    : Object.prototype.toString.call(value).slice('[object '.length, -1)
}
