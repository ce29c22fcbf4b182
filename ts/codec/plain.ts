import { DEPTH_MAX } from './limits'
import { isPlainArray, isPlainObject } from './shape'

const DOLLAR = 36
const hasOwn = Object.prototype.hasOwnProperty

/** Whether `JSON.stringify` and `JSON.parse` give this value back unchanged. The hot path: no path, no allocation. */
export function isPlainJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object':
      if (value === null) return true
      if (depth >= DEPTH_MAX) return false
      return Array.isArray(value) ? isPlainList(value, depth) : isPlainRecord(value, depth)
    default:
      return false
  }
}

function isPlainList(list: unknown[], depth: number): boolean {
  if (!isPlainArray(list)) return false
  // A hole reads as undefined, which is not plain either.
  for (let at = 0; at < list.length; at++) if (!isPlainJson(list[at], depth + 1)) return false
  return !('toJSON' in list)
}

function isPlainRecord(record: object, depth: number): boolean {
  if (!isPlainObject(record) || Object.getOwnPropertySymbols(record).length > 0) return false
  // Faster than Object.keys(), which makes a list of them.
  for (const key in record) {
    if (!hasOwn.call(record, key)) continue
    // A "$" in front is how the tagged form marks its own members.
    if (key.charCodeAt(0) === DOLLAR) return false
    if (!isPlainJson((record as Record<string, unknown>)[key], depth + 1)) return false
  }
  return true
}
