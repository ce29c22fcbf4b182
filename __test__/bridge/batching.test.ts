import { AsyncLocalStorage } from 'node:async_hooks'
import { Stage } from './stage'

const turn = () => new Promise((done) => setImmediate(done))

describe('outcomes', () => {
  test('those of one turn go back in one native call', async () => {
    const stage = new Stage(async (input) => input)
    for (let attempt = 0; attempt < 100; attempt += 1) stage.run()
    await stage.expect(100)
    expect(stage.batches).toHaveLength(1)
  })

  test('the last one in flight does not wait for the next turn', async () => {
    const stage = new Stage((input) => input)
    let immediate = false
    setImmediate(() => (immediate = true))
    stage.run()
    await stage.expect(1)
    expect(immediate).toBe(false)
  })

  test('while others are in flight, those that end are collected for one turn', async () => {
    let finish: (value: number) => void = () => {}
    const slow = new Promise<number>((resolve) => (finish = resolve))
    const stage = new Stage((input) => (input === 1 ? slow : input))
    stage.run()
    stage.run({ input: '2' })
    stage.run({ input: '3' })
    await stage.expect(2)
    expect(stage.batches).toHaveLength(1)
    finish(1)
    await stage.expect(3)
    expect(stage.batches).toHaveLength(2)
  })

  test('an attempt that was aborted for good is not reported', async () => {
    let finish: (value: number) => void = () => {}
    const stage = new Stage(() => new Promise<number>((resolve) => (finish = resolve)))
    stage.attempts.abort(stage.run(), 'PAWL_STEP_TIMEOUT', 'late')
    finish(1)
    await turn()
    expect(stage.outcomes).toEqual([])
  })

  test('an attempt of a paused run is reported', async () => {
    let finish: (value: number) => void = () => {}
    const stage = new Stage(() => new Promise<number>((resolve) => (finish = resolve)))
    stage.attempts.abort(stage.run(), 'PAWL_RUN_PAUSED', 'paused')
    finish(1)
    expect(await stage.expect(1)).toMatchObject([{ codec: 0, text: '1' }])
  })

  test.each(['modern', 'legacy'] as const)('%s fake timers stop neither attempts nor outcomes', async (kind) => {
    jest.useFakeTimers(kind === 'legacy' ? { legacyFakeTimers: true } : {})
    try {
      const stage = new Stage(async (input) => input)
      stage.run()
      stage.run()
      await stage.expect(2)
    } finally {
      jest.useRealTimers()
    }
  })
})

describe('AsyncLocalStorage', () => {
  test('attempts see what was set where the worker was started, and nothing leaks between them', async () => {
    const tenant = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const stage = tenant.run(
      'shop',
      () =>
        new Stage(async () => {
          seen.push(tenant.getStore())
          tenant.enterWith('leaked')
          await turn()
          seen.push(tenant.getStore())
        }),
    )
    await tenant.run('somebody else', async () => {
      stage.run()
      await stage.expect(1)
      stage.run()
      await stage.expect(2)
    })
    expect(seen).toEqual(['shop', 'leaked', 'shop', 'leaked'])
  })
})
