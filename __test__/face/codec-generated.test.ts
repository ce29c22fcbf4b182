import { deepStrictEqual } from 'node:assert/strict'
import { decode, encode } from '../../ts/codec'

const SEED = Number(process.env.PAWL_TEST_SEED ?? 1)
const CASES = 2_000

test(`${CASES} random values come back as they went in (seed ${SEED})`, () => {
  const random = new Random(SEED)
  for (let at = 0; at < CASES; at++) {
    const value = anyValue(random, 4)
    const { codec, text } = encode(value, 'value')
    deepStrictEqual({ at, value: decode(codec, text) }, { at, value })
    // Written once more it is the same text: nothing was reordered or normalised on the way.
    expect(encode(decode(codec, text), 'value').text).toBe(text)
  }
})

/** A small generator of pseudo-random numbers (mulberry32), so that a failure can be repeated. */
class Random {
  constructor(private state: number) {}

  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T
  }

  list<T>(make: () => T): T[] {
    return Array.from({ length: this.below(5) }, make)
  }
}

const NUMBERS = [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, 1e-7, 1e300]
const PIECES = ['$', '$t', '__proto__', 'v', 'a', '\0', '\ud83d', 'é', '"', '\\', '/', ' ', '1', 'constructor']

function anyValue(random: Random, depth: number): unknown {
  const leaves = [
    () => random.of(NUMBERS),
    () => random.below(2 ** 32) - 2 ** 31,
    () => text(random),
    () => random.of([null, undefined, true, false]),
    () => BigInt(random.below(2 ** 31)) ** BigInt(random.below(5)),
    () => new Date(random.below(2 ** 32) * 1000),
    () => Buffer.from(random.list(() => random.below(256))),
    () => new Float64Array(random.list(() => random.of(NUMBERS))),
    () => new Error(text(random), random.below(2) ? { cause: text(random) } : undefined),
  ]
  const branches = [
    () => random.list(() => anyValue(random, depth - 1)),
    () => record(random, depth),
    () => new Map(random.list(() => [anyValue(random, depth - 1), anyValue(random, depth - 1)])),
    () => new Set(random.list(() => anyValue(random, depth - 1))),
    () => Object.assign([], { length: random.below(10) }, { [random.below(8)]: anyValue(random, depth - 1) }),
  ]
  return random.of(depth > 0 ? [...leaves, ...branches, ...branches] : leaves)()
}

function record(random: Random, depth: number): object {
  const members = random.list(() => [text(random), anyValue(random, depth - 1)] as const)
  return Object.defineProperties(
    {},
    Object.fromEntries(
      members.map(([key, value]) => [key, { value, enumerable: true, configurable: true, writable: true }]),
    ),
  )
}

const text = (random: Random) => random.list(() => random.of(PIECES)).join('')
