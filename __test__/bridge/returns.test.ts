import { outcomeOf, Stage, thrownBy } from './stage'

const returns = { codec: 0, text: '2' }

const late = () => {
  throw new Error('too late')
}
const noStock = () => {
  throw new Error('no stock')
}

/** Anything with a `then` is awaited, whatever it is otherwise. */
const thenable = (then: (resolve: (value: unknown) => void, reject: (error: Error) => void) => void) =>
  Object.fromEntries([['then', then]])

describe('a function ends as it would under await', () => {
  test.each<[string, () => unknown]>([
    ['a plain value', () => 2],
    ['a promise', async () => 2],
    ['a thenable', () => thenable((resolve) => resolve(2))],
    ['a thenable of a promise', () => thenable((resolve) => resolve(Promise.resolve(2)))],
    ['a thenable that resolves twice', () => thenable((resolve) => (resolve(2), resolve(3)))],
    [
      'a thenable that resolves and then rejects',
      () => thenable((resolve, reject) => (resolve(2), reject(new Error()))),
    ],
    ['a thenable that throws after it has resolved', () => thenable((resolve) => (resolve(2), late()))],
  ])('%s is its value', async (_, step) => {
    expect(await outcomeOf(step)).toMatchObject(returns)
  })

  test.each<[string, () => unknown]>([
    ['a synchronous throw', noStock],
    ['a rejection', () => Promise.reject(new Error('no stock'))],
    ['a thenable whose then throws', () => thenable(noStock)],
    ['a thenable whose then cannot be read', () => Object.defineProperty({}, 'then', { get: noStock })],
    ['a thenable that rejects', () => thenable((_, reject) => reject(new Error('no stock')))],
  ])('%s is a failure', async (_, step) => {
    expect(await thrownBy(step)).toMatchObject({ code: null, message: 'no stock', retryable: true })
  })

  test('undefined and nothing at all are values', async () => {
    expect(await outcomeOf(() => undefined)).toMatchObject({ codec: 1 })
    expect(await outcomeOf(async () => {})).toMatchObject({ codec: 1 })
  })

  test('a generator object is not run, and cannot be stored', async () => {
    const thrown = await thrownBy(function* () {
      yield 1
    })
    expect(thrown).toMatchObject({ code: 'PAWL_SERIALIZATION', retryable: false })
  })

  test('a promise that never settles holds nobody up', async () => {
    const stage = new Stage((input) => (input === 1 ? new Promise(() => {}) : input))
    stage.run()
    stage.run({ input: '2' })
    expect(await stage.expect(1)).toMatchObject([{ attempt: 2, ...returns }])
  })
})

describe('values that cannot be passed on', () => {
  test('an output that cannot be stored is refused with its path, and not tried again', async () => {
    const thrown = await thrownBy(() => ({ items: [1, 2, 3, { cb: () => {} }] }))
    expect(thrown).toMatchObject({ code: 'PAWL_SERIALIZATION', retryable: false })
    expect(thrown.message).toMatch(/output\.items\[3\]\.cb/)
  })

  test('an output that throws while it is read is refused', async () => {
    const output = {
      get total() {
        throw new Error('not yet')
      },
    }
    expect(await thrownBy(() => output)).toMatchObject({ code: 'PAWL_SERIALIZATION', retryable: false })
  })

  test('an input that cannot be read fails the attempt', async () => {
    const stage = new Stage(() => 1)
    stage.run({ input: '{"broken' })
    const [outcome] = await stage.expect(1)
    expect(JSON.parse(outcome!.text)).toMatchObject({ retryable: false, message: expect.stringContaining('"step"') })
  })

  test('a node without a function here says so', async () => {
    const stage = new Stage(() => 1)
    stage.run({ nodeIndex: 9, path: 'gone' })
    const [outcome] = await stage.expect(1)
    const message = expect.stringContaining('"gone"')
    expect(JSON.parse(outcome!.text)).toMatchObject({ code: 'PAWL_TASK_NOT_IMPLEMENTED', retryable: false, message })
  })
})
