const SHOWN_CHARS_MAX = 60

/** A value as an error message shows it: short, and never a reason for another error. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > SHOWN_CHARS_MAX ? `${value.slice(0, SHOWN_CHARS_MAX)}…` : value)
    case 'bigint':
      return `${value}n`
    case 'symbol':
      return 'a symbol'
    case 'function':
      return 'a function'
    case 'object':
      return value === null ? 'null' : shownObject(value)
    default:
      return Object.is(value, -0) ? '-0' : String(value)
  }
}

function shownObject(value: object): string {
  try {
    if (Array.isArray(value)) return 'an array'
    const name: unknown = value.constructor?.name
    return typeof name === 'string' && name !== '' && name !== 'Object' ? `a ${name}` : 'an object'
  } catch {
    return 'an object'
  }
}
