import { deepStrictEqual } from 'node:assert/strict'
import { decode, encode } from '../../ts/codec'

const there = (value: unknown): unknown => {
  const { codec, text } = encode(value, 'value')
  return decode(codec, text)
}

/** Every kind of value that comes back as it went in. Node's own comparison tells undefined from absent, and class from class. */
const VALUES: Record<string, unknown> = {
  null: null,
  undefined: undefined,
  true: true,
  text: 'text',
  'an empty text': '',
  'a NUL character': 'a\0b',
  'half an emoji': '\ud83d',
  'a whole emoji': '😀',
  zero: 0,
  'minus zero': -0,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '2^31': 2 ** 31,
  '2^32 + 1': 2 ** 32 + 1,
  '2^53 - 1': Number.MAX_SAFE_INTEGER,
  '-2^31 - 1': -(2 ** 31) - 1,
  '1e21': 1e21,
  'the smallest number': Number.MIN_VALUE,
  BigInt: 2n ** 100n,
  'a negative BigInt': -1n,
  Date: new Date(1_700_000_000_123),
  'a Date before 1970': new Date(-1),
  'a RegExp': /a\/b+/giu,
  'a URL': new URL('https://example.com/a?b=c#d'),
  'a Map': new Map<unknown, unknown>([
    ['a', 1],
    [{ k: 1 }, new Map([[2, 3]])],
    [undefined, undefined],
  ]),
  'a Set': new Set<unknown>([1, 'a', new Set([null]), undefined]),
  'a Buffer': Buffer.from([0, 1, 254, 255]),
  'an empty Buffer': Buffer.alloc(0),
  'an ArrayBuffer': new Uint8Array([1, 2, 3]).buffer,
  'a DataView': new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2),
  Int8Array: new Int8Array([-1, 2]),
  Uint8Array: new Uint8Array([1, 255]),
  Uint8ClampedArray: new Uint8ClampedArray([1, 255]),
  Int16Array: new Int16Array([-300, 2]),
  Uint16Array: new Uint16Array([300, 2]),
  Int32Array: new Int32Array([-70_000]),
  Uint32Array: new Uint32Array([4_000_000_000]),
  Float32Array: new Float32Array([1.5, Number.NaN]),
  Float64Array: new Float64Array([Math.PI, -0]),
  BigInt64Array: new BigInt64Array([-1n]),
  BigUint64Array: new BigUint64Array([2n ** 63n]),
  'a view into a larger buffer': new Uint16Array(new Uint16Array([1, 2, 3, 4]).buffer, 2, 2),
  'an empty object': {},
  'an empty array': [],
  'an undefined member': { a: undefined, b: 1 },
  'undefined in an array': [undefined, 1],
  'holes in an array': new Array(3).fill(1, 1, 2),
  'a long sparse array': Object.assign([], { length: 4_000_000_000, 3999999999: 'last' }),
  'keys that begin with $': { $t: 'Date', $$t: 1, $: { $t: 'undefined' }, v: 1 },
  'keys that look like anything': JSON.parse('{"1":"one","":"empty","constructor":{"name":"x"},"toString":4,"then":1}'),
  'toJSON as data': { toJSON: 'no function' },
  'a deep mixture': { list: [{ at: new Date(0), sums: new Map([['a', [1n, -0]]]) }] },
}

test.each(Object.entries(VALUES))('%s comes back as it went in', (_, value) => {
  deepStrictEqual(there(value), value)
  deepStrictEqual(there({ nested: [value] }), { nested: [value] })
})

test.each([-0, Number.NaN, 1e21, 2 ** 32])('%p is exactly the same number, and a number', (number) => {
  expect(Object.is(there(number), number)).toBe(true)
})

test('an invalid Date stays one', () => {
  const [date] = there([new Date(Number.NaN)]) as [Date]
  expect(date).toBeInstanceOf(Date)
  expect(date.getTime()).toBeNaN()
})

test('values that JSON can say are plain JSON', () => {
  const order = { id: 'order-1', items: [{ sku: 'a', n: 2 }], note: null, paid: true }
  expect(encode(order, 'value')).toEqual({ codec: 0, text: JSON.stringify(order) })
})

test('the tagged form stays readable', () => {
  expect(encode({ at: new Date(0), n: 1n }, 'value')).toEqual({
    codec: 1,
    text: '{"at":{"$t":"Date","v":"1970-01-01T00:00:00.000Z"},"n":{"$t":"BigInt","v":"1"}}',
  })
})

test('the order of keys is kept', () => {
  const keys = ['z', 'a', 'm', '$x', 'b']
  const value = Object.fromEntries(keys.map((key) => [key, undefined]))
  expect(Object.keys(there(value) as object)).toEqual(keys)
})

test('__proto__ is an own key like any other, and pollutes nothing', () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"name":"x"},"then":1}')
  for (const value of [hostile, { mixed: hostile, at: new Date(0) }, new Map([['__proto__', hostile]])]) {
    deepStrictEqual(there(value), value)
  }
  const back = there({ hostile, more: 1n }) as { hostile: object }
  expect(Object.keys(back.hostile)).toEqual(['__proto__', 'constructor', 'then'])
  expect(Object.getPrototypeOf(back.hostile)).toBe(Object.prototype)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('objects without a prototype become plain ones', () => {
  const bare = Object.assign(Object.create(null), { a: 1, at: new Date(0) })
  expect(there(bare)).toStrictEqual({ a: 1, at: new Date(0) })
  expect(there(Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 })
})

test('a value that is shared becomes copies', () => {
  const shared = { at: new Date(0) }
  const [a, b] = there([shared, shared]) as object[]
  expect(a).toStrictEqual(shared)
  expect(a).not.toBe(b)
})

test('what is not data of an object is left out, by rule', () => {
  const list = Object.assign([1, 2], { named: 3 })
  const hidden = Object.defineProperty({ a: 1 }, 'hidden', { value: 2, enumerable: false })
  const hiddenSymbol = Object.defineProperty({ a: 1 }, Symbol('s'), { value: 2, enumerable: false })
  expect(there({ list, hidden, hiddenSymbol })).toStrictEqual({
    list: [1, 2],
    hidden: { a: 1 },
    hiddenSymbol: { a: 1 },
  })
})

test('a getter is read once and stored as what it gives', () => {
  expect(there({ get now() { return new Date(0) } })).toStrictEqual({ now: new Date(0) }) // biome-ignore format: one line
})

test('a value written under codec 0 can stand inside one of codec 1', () => {
  const part = encode({ a: [1, 'x'] }, 'value')
  expect(part.codec).toBe(0)
  expect(decode(1, `{"joined":${part.text}}`)).toEqual({ joined: { a: [1, 'x'] } })
})
