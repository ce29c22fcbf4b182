import { types } from 'node:util'
import { errorParts } from './error-parts'
import { DEPTH_MAX } from './limits'
import { Place, refusal } from './refusal'
import { binaryKind, isDirect, isError, isPlainArray, isPlainObject, isUrl } from './shape'
import { escapeKey, setOwn, type Tagged, tagged } from './tag'

/** What becomes of a part that cannot be stored: an exception, or a substitute. */
type OnRefusal = (error: Error, part: unknown) => unknown

/** Turns a value into one that `JSON.stringify` can write, with a tag for everything that JSON cannot say. */
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
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : tagged('number', Object.is(value, -0) ? '-0' : String(value))
      case 'undefined':
        return tagged('undefined')
      case 'bigint':
        return tagged('BigInt', String(value))
      case 'object':
        return value === null ? null : this.guarded(value)
      default:
        return this.refuse(`it is a ${typeof value}. Store data, and keep behaviour in code.`, value)
    }
  }

  private guarded(value: object): unknown {
    const from = this.ancestors.indexOf(value)
    if (from >= 0) return this.refuse('it contains itself. Store the id of the thing it refers back to.', value)
    if (this.place.depth >= DEPTH_MAX) return this.refuse(`it lies more than ${DEPTH_MAX} levels deep.`, value)
    this.ancestors.push(value)
    try {
      return this.object(value)
    } finally {
      this.ancestors.pop()
    }
  }

  private object(value: object): unknown {
    if (Array.isArray(value)) return isPlainArray(value) ? this.list(value) : this.refuseClass(value)
    if (isError(value)) return this.error(value)
    if (isPlainObject(value)) return this.record(value)
    return this.builtIn(value) ?? this.refuseClass(value)
  }

  private builtIn(value: object): Tagged | undefined {
    const binary = binaryKind(value)
    if (binary !== undefined) return tagged(binary, base64(value as ArrayBuffer | ArrayBufferView))
    if (isUrl(value)) return tagged('URL', value.href)
    if (!isDirect(value)) return undefined
    if (types.isDate(value)) return tagged('Date', Number.isNaN(value.getTime()) ? null : value.toISOString())
    if (types.isMap(value)) return tagged('Map', this.entries([...value]))
    if (types.isSet(value)) return tagged('Set', this.elements([...value]))
    if (types.isRegExp(value)) return tagged('RegExp', [value.source, value.flags])
    return undefined
  }

  private list(list: unknown[]): unknown {
    // Members with names are not elements, and are left out as JSON does. Holes are kept: [1, , 3] comes back as it is.
    const present = Object.keys(list).filter((key) => String(Number(key) >>> 0) === key)
    if (present.length === list.length) return this.elements(list)
    return tagged('SparseArray', [
      list.length,
      present.map((key) => [Number(key), this.part(Number(key), () => list[Number(key)])]),
    ])
  }

  private elements(list: readonly unknown[]): unknown[] {
    return list.map((_, at) => this.part(at, () => list[at]))
  }

  private entries(entries: readonly (readonly [unknown, unknown])[]): unknown[] {
    return entries.map(([key, value], at) => [
      this.part(`key ${at}`, () => key),
      this.part(typeof key === 'string' ? key : at, () => value),
    ])
  }

  private record(record: object): unknown {
    const enumerable = (symbol: symbol) => Object.prototype.propertyIsEnumerable.call(record, symbol)
    if (Object.getOwnPropertySymbols(record).some(enumerable)) {
      return this.refuse('it has a member whose key is a symbol. Use texts as keys.', record)
    }
    const stored = {}
    for (const key of Object.keys(record)) {
      setOwn(
        stored,
        escapeKey(key),
        this.part(key, () => (record as Record<string, unknown>)[key]),
      )
    }
    return stored
  }

  private error(error: Error): unknown {
    const parts = errorParts(error)
    const stored: Record<string, unknown> = {
      class: parts.class,
      name: parts.name,
      message: parts.message,
      stack: parts.stack,
    }
    for (const [key, read] of parts.members) stored[key] = this.part(key, read)
    if (parts.fields.length > 0) {
      const fields = {}
      for (const [key, read] of parts.fields) setOwn(fields, key, this.part(key, read))
      stored.fields = fields
    }
    return tagged('Error', stored)
  }

  private part(segment: string | number, read: () => unknown): unknown {
    this.place.enter(segment)
    try {
      let value: unknown
      try {
        value = read()
      } catch (thrown) {
        return this.refuse(`reading it threw: ${describeThrown(thrown)}`, undefined, thrown)
      }
      return this.of(value)
    } finally {
      this.place.leave()
    }
  }

  private refuseClass(value: object): unknown {
    if (types.isPromise(value)) return this.refuse('it is a promise. Await it, and store what it resolves to.', value)
    const name = className(value)
    return this.refuse(
      `it is an object of the class ${name}, whose methods would be lost. Store a plain object of its data.`,
      value,
    )
  }

  private refuse(why: string, part: unknown, cause?: unknown): unknown {
    return this.onRefusal(refusal(this.place, why, cause), part)
  }
}

function base64(value: ArrayBuffer | ArrayBufferView): string {
  const bytes = ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength)
    : Buffer.from(value)
  return bytes.toString('base64')
}

function className(value: object): string {
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== ''
    ? name
    : Object.prototype.toString.call(value).slice('[object '.length, -1)
}

function describeThrown(thrown: unknown): string {
  return isError(thrown) ? `${thrown.name}: ${thrown.message}` : String(thrown)
}
