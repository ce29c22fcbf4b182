import { PawlError } from '../../ts/errors'
import { decode, encode, encodeThrown } from '../../ts/codec'

function there<T>(value: T): T {
  const { codec, text } = encode(value, 'value')
  return decode(codec, text) as T
}

class CardError extends TypeError {
  override readonly name = 'CardError'
  readonly code = 'E_CARD'
  readonly declined = { at: new Date(0) }
}

test('an error comes back as a real one of its built-in class, with everything that says what happened', () => {
  const cause = new RangeError('limit', { cause: 'text' })
  const error = new CardError('declined', { cause })
  const back = there(error)
  expect(back).toBeInstanceOf(TypeError)
  expect(back).toMatchObject({ name: 'CardError', message: 'declined', code: 'E_CARD', declined: { at: new Date(0) } })
  expect(back.stack).toBe(error.stack)
  expect(back.stack).toContain('codec-errors.test')
  expect(back.cause).toBeInstanceOf(RangeError)
  expect(back.cause).toMatchObject({ message: 'limit', cause: 'text' })
})

test.each([Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError])(
  '%p keeps its class',
  (Class) => {
    const back = there(new Class('x'))
    expect(back).toBeInstanceOf(Class)
    expect(Object.getPrototypeOf(back)).toBe(Class.prototype)
    expect(Object.keys(back)).toEqual([])
  },
)

test('an AggregateError keeps its errors', () => {
  const back = there(new AggregateError([new Error('a'), 'b'], 'both'))
  expect(back).toBeInstanceOf(AggregateError)
  expect(back.errors).toEqual([new Error('a'), 'b'])
})

test('errors as a field of another error stay a field', () => {
  const back = there(Object.assign(new Error('invalid'), { errors: { name: 'required' } }))
  expect(Object.keys(back)).toEqual(['errors'])
  expect(back).toMatchObject({ errors: { name: 'required' } })
})

test('a DOMException keeps its name', () => {
  const back = there(new DOMException('gave up', 'AbortError'))
  expect(back).toMatchObject({ name: 'AbortError', message: 'gave up', code: 20 })
})

test("pawl's own errors stay what they are", () => {
  const back = there(new PawlError('PAWL_RUN_NOT_FOUND', 'no run', { cause: new Error('why') }))
  expect(PawlError.is(back)).toBe(true)
  expect(back).toMatchObject({ code: 'PAWL_RUN_NOT_FOUND', name: 'PawlError', cause: new Error('why') })
})

test('an error without a cause has none, and one whose cause is undefined has that', () => {
  expect('cause' in there(new Error('x'))).toBe(false)
  expect(Object.hasOwn(there(new Error('x', { cause: undefined })), 'cause')).toBe(true)
})

describe('what was thrown', () => {
  const thrown = (value: unknown) => {
    const payload = encodeThrown(value)
    return payload && decode(payload.codec, payload.text)
  }

  test('is kept even where parts of it cannot be', () => {
    const error = Object.assign(new Error('socket hang up'), {
      code: 'ECONNRESET',
      request: new EventEmitterLike(),
      retry() {},
    })
    Object.assign(error, { self: error })
    expect(thrown(error)).toMatchObject({
      message: 'socket hang up',
      code: 'ECONNRESET',
      request: '[EventEmitterLike]',
      retry: '[function]',
      self: '[Error]',
    })
  })

  test.each([undefined, null, 'text', 42, { code: 'E' }, 7n])('may be %p', (value) => {
    expect(thrown(value)).toStrictEqual(value)
  })

  test('may be hostile', () => {
    const hostile = new Proxy({}, { ownKeys: refuse, get: refuse, getPrototypeOf: refuse })
    expect(() => thrown(hostile)).not.toThrow()
    expect(() => thrown(Object.defineProperty(new Error('x'), 'message', { get: refuse }))).not.toThrow()
  })
})

class EventEmitterLike {}

function refuse(): never {
  throw new Error('do not touch')
}
