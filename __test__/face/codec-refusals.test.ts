import { DEPTH_MAX, decode, encode, VALUE_BYTES_MAX } from '../../ts/codec'

class Order {
  constructor(readonly id: string) {}
}
class Inventory extends Map {}
class Row extends Array {}

const cyclic: Record<string, unknown> = { items: [{}] }
;(cyclic.items as unknown[])[0] = { back: cyclic }

/** Each value, where in it the offender is, and what the message says of it. */
const REFUSED: [what: string, value: unknown, path: string, why: RegExp][] = [
  ['a function', { items: [0, 0, 0, { cb() {} }] }, 'input.items[3].cb', /function/],
  ['a function at the top', () => 1, 'input', /function/],
  ['a symbol', { a: Symbol('x') }, 'input.a', /symbol/],
  ['a symbol as a key', { a: { [Symbol('x')]: 1 } }, 'input.a', /key is a symbol/],
  ['an object of a class', { order: new Order('1') }, 'input.order', /class Order/],
  ['a subclass of Map', [new Inventory()], 'input[0]', /class Inventory/],
  ['a subclass of Array', [new Row()], 'input[0]', /class Row/],
  ['an object made of another', Object.create({ inherited: 1 }), 'input', /class Object/],
  ['a promise', { later: Promise.resolve(1) }, 'input.later', /promise.*Await/],
  ['a WeakMap', { seen: new WeakMap() }, 'input.seen', /class WeakMap/],
  ['a boxed number', { n: Object(1) }, 'input.n', /class Number/],
  ['a cycle', cyclic, 'input.items[0].back', /contains itself/],
  ['a getter that throws', { a: { get b() { throw new Error('no') } } }, 'input.a.b', /threw: Error: no/], // biome-ignore format: one line
  ['a toJSON function', { toJSON: () => 1 }, 'input.toJSON', /function/],
  ['a function in a Map', new Map([['key', () => 1]]), 'input.key', /function/],
  ['a function as the key of a Map', new Map([[() => 1, 1]]), 'input["key 0"]', /function/],
  ['a function in a Set', new Set([1, () => 1]), 'input[1]', /function/],
  ['a function on an error', Object.assign(new Error('x'), { retry() {} }), 'input.retry', /function/],
  ['odd keys on the way', { 'a b': { '': () => 1 } }, 'input["a b"][""]', /function/],
]

test.each(REFUSED)('%s is refused with its path', (_, value, path, why) => {
  expect(() => encode(value, 'input')).toThrow(
    expect.objectContaining({ code: 'PAWL_SERIALIZATION', message: expect.stringMatching(why) }),
  )
  expect(() => encode(value, 'input')).toThrow(`${path} cannot be stored`)
})

test('nesting is allowed up to a limit, and refused beyond it', () => {
  const nested = (depth: number, leaf: unknown) => {
    let value = leaf
    for (let level = 0; level < depth; level++) value = [value]
    return value
  }
  for (const leaf of [1, 1n]) {
    const { codec, text } = encode(nested(DEPTH_MAX, leaf), 'input')
    expect(decode(codec, text)).toEqual(nested(DEPTH_MAX, leaf))
    for (const depth of [DEPTH_MAX + 1, 100_000]) {
      expect(() => encode(nested(depth, [leaf]), 'input')).toThrow(
        expect.objectContaining({
          code: 'PAWL_SERIALIZATION',
          message: expect.stringContaining(`more than ${DEPTH_MAX} levels deep`),
        }),
      )
    }
  }
})

test('a value as large as the limit is written, and a larger one refused', () => {
  const fits = 'x'.repeat(VALUE_BYTES_MAX - 2)
  expect(encode(fits, 'output').text.length).toBe(VALUE_BYTES_MAX)
  const large = expect.objectContaining({ code: 'PAWL_VALUE_TOO_LARGE', message: expect.stringContaining('64 MB') })
  expect(() => encode(`${fits}x`, 'output')).toThrow(large)
  expect(() => encode('é'.repeat(VALUE_BYTES_MAX / 2), 'output')).toThrow(large)
  expect(() => encode(Buffer.alloc(VALUE_BYTES_MAX), 'output')).toThrow(large)
})

test('a stored value that is damaged says so', () => {
  for (const [codec, text] of [
    [0, '{"a":'],
    [1, '{"$t":"RegExp","v":["(","u"]}'],
  ] as const) {
    expect(() => decode(codec, text)).toThrow(expect.objectContaining({ code: 'PAWL_STORE_CORRUPT' }))
  }
})

test('a stored value of a newer pawl says so', () => {
  for (const [codec, text] of [
    [9, '1'],
    [1, '{"$t":"Temporal.Instant","v":"…"}'],
    [1, '{"$t":"constructor"}'],
  ] as const) {
    expect(() => decode(codec, text)).toThrow(expect.objectContaining({ code: 'PAWL_STORE_NEWER' }))
  }
})
