import vm from 'node:vm'
import { decode } from '../../dist/codec'
import { NonRetryableError, RetryAfterError } from '../../dist/errors'
import { type ThrownOutcome, thrownValue } from './stage'

const MESSAGE_BYTES_MAX = 16 * 1024
const CAUSE_BYTES_MAX = 64 * 1024

const causeOf = (thrown: ThrownOutcome): any => decode(thrown.causeCodec!, thrown.cause!)

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('do not touch')
    },
    getPrototypeOf() {
      throw new Error('do not touch')
    },
    ownKeys() {
      throw new Error('do not touch')
    },
  },
)

const withCause = (cause: unknown) => new Error('outer', { cause })

const circular: Error & { self?: unknown } = new Error('round and round')
circular.self = circular
circular.cause = circular

class Unreadable extends Error {
  override get message(): string {
    throw new Error('do not touch')
  }
}

describe('whatever is thrown is recorded, and bounded', () => {
  test.each<[string, unknown, string | RegExp]>([
    ['undefined', undefined, /undefined/],
    ['null', null, /null/],
    ['a string', 'plain words', 'plain words'],
    ['an empty string', '', ''],
    ['a number', 42, /42/],
    ['a bigint', 10n, /10n/],
    ['a symbol', Symbol('odd'), /Symbol\(odd\)/],
    ['a function', () => 1, /Function/],
    ['an object', { status: 500 }, /status: 500/],
    ['an error without a message', new TypeError(), 'TypeError'],
    ['a frozen error', Object.freeze(new Error('frozen')), 'frozen'],
    ['an error of another realm', vm.runInNewContext('new RangeError("foreign")'), 'foreign'],
    ['an abort', new DOMException('stopped', 'AbortError'), 'stopped'],
    ['an error that contains itself', circular, 'round and round'],
    ['an error whose cause is a socket-like object', withCause({ on() {}, write() {} }), 'outer'],
    ['an error whose cause is an error', withCause(new Error('inner')), 'outer'],
    ['many errors', new AggregateError([new Error('a'), new Error('b')], 'both'), 'both'],
    ['a message of one megabyte', new Error('x'.repeat(1 << 20)), /^x+ … \(shortened by pawl, 1048576 characters\)$/],
    ['a message of emoji', new Error('🧵'.repeat(10_000)), /^(🧵)+ … \(shortened/u],
    ['a string of one megabyte', 'y'.repeat(1 << 20), /^y+ … \(shortened by pawl/],
    ['NUL', new Error('a\0b'), 'a\u2400b'],
    ['lone surrogates', new Error('a\ud800b'), 'a\ufffdb'],
    ['a message of a megabyte of NUL', new Error('\0'.repeat(1 << 20)), /shortened by pawl/],
    ['a cause of one megabyte', withCause('z'.repeat(1 << 20)), 'outer'],
    ['a chain of large causes', withCause(withCause(withCause(new Error('\u0001'.repeat(50_000))))), 'outer'],
    [
      'a large stack',
      Object.assign(new Error('deep'), { stack: `Error: deep\n${'    at x\n'.repeat(100_000)}` }),
      'deep',
    ],
    ['a proxy that throws at every touch', hostile, /./],
    ['an error whose message cannot be read', new Unreadable(), /./],
  ])('%s', async (_, value, message) => {
    const thrown = await thrownValue(value)
    if (typeof message === 'string') expect(thrown.message).toBe(message)
    else expect(thrown.message).toMatch(message)
    expect(thrown).toMatchObject({ code: null, retryable: true, retryAfterMs: null })
    expect(Buffer.byteLength(thrown.message)).toBeLessThanOrEqual(MESSAGE_BYTES_MAX)
    expect(thrown.cause).not.toBeNull()
    expect(Buffer.byteLength(thrown.cause!)).toBeLessThanOrEqual(CAUSE_BYTES_MAX)
    expect(() => causeOf(thrown)).not.toThrow()
  })

  test('an ordinary error comes back as it was', async () => {
    const error = Object.assign(new TypeError('no stock', { cause: new Error('empty shelf') }), { code: 'E_STOCK' })
    const recorded = causeOf(await thrownValue(error))
    expect(recorded).toBeInstanceOf(TypeError)
    expect(recorded).toMatchObject({ name: 'TypeError', message: 'no stock', code: 'E_STOCK', stack: error.stack })
    expect(recorded.cause).toMatchObject({ message: 'empty shelf' })
  })

  test('an error that is too large keeps its name, its code, the beginning of its message and its cause', async () => {
    const error = Object.assign(new RangeError('m'.repeat(100_000), { cause: new Error('inner') }), { code: 'E_BIG' })
    const recorded = causeOf(await thrownValue(error))
    expect(recorded).toMatchObject({ name: 'RangeError', code: 'E_BIG', cause: { message: 'inner' } })
    expect(recorded.message).toMatch(/^m+ … \(shortened by pawl, 100000 characters\)$/)
  })
})

describe('errors that steer retries', () => {
  test('no further attempt after a NonRetryableError', async () => {
    expect(await thrownValue(new NonRetryableError('card is stolen'))).toMatchObject({ retryable: false })
  })

  test('a RetryAfterError names the wait', async () => {
    expect(await thrownValue(new RetryAfterError('busy', '2s'))).toMatchObject({ retryable: true, retryAfterMs: 2_000 })
  })

  test('they are recognised when they come from another copy of the package', async () => {
    let other: any
    jest.isolateModules(() => {
      other = require('../../dist/errors')
    })
    expect(other.NonRetryableError).not.toBe(NonRetryableError)
    expect(await thrownValue(new other.NonRetryableError('stolen'))).toMatchObject({ retryable: false })
    expect(await thrownValue(new other.RetryAfterError('busy', 5))).toMatchObject({ retryAfterMs: 5 })
  })
})
