import { types } from 'node:util'
import { errorParts } from './error-parts'
import { DEPTH_MAX } from './limits'
import { Place, refusal } from './refusal'
import { base64, binaryKind, className, isDirect, isError, isPlainArray, isPlainObject, isUrl } from './shape'
import { escapeKey, setOwn, type Tagged, tagged } from './tag'

/** What becomes of a part that cannot be stored: an exception, or a substitute. */
type OnRefusal = (error: Error, part: unknown) => unknown

/**
 * Turns a value into one that `JSON.stringify` can write, with a tag for everything that JSON cannot say.
 *
 * The walk recurses, so it keeps few and small frames for each level: at the deepest nesting that is allowed it must fit
 * into the stack that the caller has left.
 */
export class Tagging {
  private readonly ancestors: object[] = []
  private readonly place: Place

  constructor(
    root: string,
    private readonly onRefusal: OnRefusal,
  ) {
    this.place = new Place(root)
  }

  of(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0) ? value : numberTag(value)
      case 'undefined':
        return tagged('undefined')
      case 'bigint':
        return tagged('BigInt', String(value))
      case 'object':
        return value === null ? null : this.object(value)
      default:
        return this.refuse(`it is a ${typeof value}. Store data, and keep behaviour in code.`, value)
    }
  }

  private object(value: object): unknown {
    const why = this.wrongPlace(value)
    if (why !== undefined) return this.refuse(why, value)
    this.ancestors.push(value)
    const stored = this.inside(value)
    this.ancestors.pop()
    return stored
  }

  private wrongPlace(value: object): string | undefined {
    if (this.ancestors.includes(value)) return 'it contains itself. Store the id of the thing it refers back to.'
    return this.place.depth >= DEPTH_MAX ? `it lies more than ${DEPTH_MAX} levels deep.` : undefined
  }

  private inside(value: object): unknown {
    if (Array.isArray(value)) return isPlainArray(value) ? this.list(value) : this.refuse(whyNoClass(value), value)
    if (isError(value)) return this.error(value)
    if (isPlainObject(value)) return this.record(value)
    return this.builtIn(value) ?? this.refuse(whyNoClass(value), value)
  }

  private builtIn(value: object): Tagged | undefined {
    const binary = binaryKind(value)
    if (binary !== undefined) return tagged(binary, base64(value as ArrayBuffer | ArrayBufferView))
    if (isUrl(value)) return tagged('URL', value.href)
    if (!isDirect(value)) return undefined
    if (types.isDate(value)) return tagged('Date', Number.isNaN(value.getTime()) ? null : value.toISOString())
    if (types.isMap(value)) return tagged('Map', this.entries(value))
    if (types.isSet(value)) return tagged('Set', this.elements([...value]))
    if (types.isRegExp(value)) return tagged('RegExp', [value.source, value.flags])
    return undefined
  }

  private list(list: readonly unknown[]): unknown {
    // Members with names are not elements, and are left out as JSON does. Holes are kept: [1, , 3] comes back as it is.
    const present = Object.keys(list).filter((key) => String(Number(key) >>> 0) === key)
    if (present.length === list.length) return this.elements(list)
    const elements: unknown[] = []
    for (const key of present) elements.push([Number(key), this.member(list, Number(key), Number(key))])
    return tagged('SparseArray', [list.length, elements])
  }

  private elements(list: readonly unknown[]): unknown[] {
    const elements: unknown[] = []
    for (let at = 0; at < list.length; at++) elements.push(this.member(list, at, at))
    return elements
  }

  private entries(map: ReadonlyMap<unknown, unknown>): unknown[] {
    const entries: unknown[] = []
    for (const entry of map) {
      const key = this.member(entry, 0, `key ${entries.length}`)
      const value = this.member(entry, 1, typeof entry[0] === 'string' ? entry[0] : entries.length)
      entries.push([key, value])
    }
    return entries
  }

  private record(record: object): unknown {
    if (hasSymbolKey(record)) return this.refuse('it has a member whose key is a symbol. Use texts as keys.', record)
    const stored = {}
    for (const key of Object.keys(record)) setOwn(stored, escapeKey(key), this.member(record, key, key))
    return stored
  }

  private error(error: Error): unknown {
    const { members, fields, ...parts } = errorParts(error)
    const stored: Record<string, unknown> = parts
    for (const key of members) stored[key] = this.member(error, key, key)
    if (fields.length > 0) {
      const own = {}
      for (const key of fields) setOwn(own, key, this.member(error, key, key))
      stored.fields = own
    }
    return tagged('Error', stored)
  }

  /** One member of an object: read, which may run a getter that throws, and stored. */
  private member(owner: object, key: string | number, segment: string | number): unknown {
    this.place.enter(segment)
    let value: unknown
    try {
      value = (owner as Record<string | number, unknown>)[key]
    } catch (thrown) {
      value = this.refuse(`reading it threw: ${described(thrown)}`, undefined, thrown)
    }
    const stored = this.of(value)
    this.place.leave()
    return stored
  }

  private refuse(why: string, part: unknown, cause?: unknown): unknown {
    return this.onRefusal(refusal(this.place, why, cause), part)
  }
}

function numberTag(value: number): Tagged {
  return tagged('number', Object.is(value, -0) ? '-0' : String(value))
}

function hasSymbolKey(record: object): boolean {
  const enumerable = (symbol: symbol) => Object.prototype.propertyIsEnumerable.call(record, symbol)
  return Object.getOwnPropertySymbols(record).some(enumerable)
}

function whyNoClass(value: object): string {
  if (types.isPromise(value)) return 'it is a promise. Await it, and store what it resolves to.'
  return `it is an object of the class ${className(value)}, whose methods would be lost. Store a plain object of its data.`
}

function described(thrown: unknown): string {
  return isError(thrown) ? `${thrown.name}: ${thrown.message}` : String(thrown)
}
