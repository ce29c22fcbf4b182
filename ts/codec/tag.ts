/** A value that JSON cannot say, in its stored form. docs/FORMATS.md lists the tags; they are append-only. */
export interface Tagged {
  readonly $t: string
  readonly v?: unknown
}

export const tagged = (tag: string, v?: unknown): Tagged => (v === undefined ? { $t: tag } : { $t: tag, v })

/** A user's key that begins with "$" gets one more, so that it is never taken for a tag. */
export const escapeKey = (key: string) => (key.startsWith('$') ? `$${key}` : key)
export const unescapeKey = (key: string) => (key.startsWith('$') ? key.slice(1) : key)

/** Sets an own member, also one called `__proto__`, which an assignment would take for the prototype. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    ;(target as Record<string, unknown>)[key] = value
  }
}
