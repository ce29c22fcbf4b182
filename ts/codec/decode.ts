import { PawlError } from '../errors/pawl-error'
import { decodeError, type StoredError } from './decode-error'
import { CODEC_JSON, CODEC_TAGGED } from './encode'
import { setOwn, type Tagged, unescapeKey } from './tag'

/** Reads a stored value. */
export function decode(codec: number, text: string): unknown {
  if (codec !== CODEC_JSON && codec !== CODEC_TAGGED) {
    throw new PawlError(
      'PAWL_STORE_NEWER',
      `A stored value has the form ${codec}, which this version of pawl does not know. Update pawl.`,
    )
  }
  try {
    const value: unknown = JSON.parse(text)
    return codec === CODEC_JSON ? value : revive(value)
  } catch (cause) {
    if (PawlError.is(cause)) throw cause
    throw new PawlError('PAWL_STORE_CORRUPT', 'A stored value is damaged and cannot be read.', { cause })
  }
}

function revive(stored: unknown): unknown {
  if (typeof stored !== 'object' || stored === null) return stored
  if (Array.isArray(stored)) return stored.map(revive)
  return Object.hasOwn(stored, '$t') ? reviveTagged(stored as Tagged) : reviveRecord(stored)
}

function reviveRecord(stored: object): object {
  const record = {}
  for (const key of Object.keys(stored)) {
    setOwn(record, unescapeKey(key), revive((stored as Record<string, unknown>)[key]))
  }
  return record
}

function reviveTagged({ $t: tag, v }: Tagged): unknown {
  const reviver = REVIVERS[tag]
  if (reviver !== undefined) return reviver(v)
  const view = VIEWS.has(tag) ? (globalThis as Record<string, unknown>)[tag] : undefined
  if (typeof view === 'function') return new (view as new (bytes: ArrayBuffer) => unknown)(bytesOf(v))
  throw new PawlError(
    'PAWL_STORE_NEWER',
    `A stored value is of the kind "${tag}", which this version of pawl or Node.js does not know. Update it.`,
  )
}

const REVIVERS: Readonly<Record<string, (v: unknown) => unknown>> = {
  __proto__: null as never,
  undefined: () => undefined,
  number: (v) => Number(v),
  BigInt: (v) => BigInt(v as string),
  Date: (v) => new Date((v as string | null) ?? Number.NaN),
  Map: (v) => new Map((v as [unknown, unknown][]).map(([key, value]) => [revive(key), revive(value)])),
  Set: (v) => new Set((v as unknown[]).map(revive)),
  RegExp: (v) => new RegExp(...(v as [string, string])),
  URL: (v) => new URL(v as string),
  Buffer: (v) => Buffer.from(v as string, 'base64'),
  ArrayBuffer: (v) => bytesOf(v),
  SparseArray: (v) => sparse(v as [number, [number, unknown][]]),
  Error: (v) => decodeError(v as StoredError, revive),
}

const VIEWS: ReadonlySet<string> = new Set([
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
])

/** An own, aligned buffer: small Buffers share a pool. */
function bytesOf(v: unknown): ArrayBuffer {
  const pooled = Buffer.from(v as string, 'base64')
  const bytes = new ArrayBuffer(pooled.byteLength)
  new Uint8Array(bytes).set(pooled)
  return bytes
}

function sparse([length, elements]: [number, [number, unknown][]]): unknown[] {
  const list: unknown[] = []
  list.length = length
  for (const [at, value] of elements) list[at] = revive(value)
  return list
}
