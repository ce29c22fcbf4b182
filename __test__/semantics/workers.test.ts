import { flow, Pawl, Worker } from 'pawl'
import { claimTtl } from '../../ts/options'
import { gate, until } from './rig'

let pawl: Pawl
beforeEach(async () => {
  pawl = await Pawl.connect('memory:')
})
afterEach(() => pawl.close())

describe('a worker', () => {
  test('runs as many steps at once as it has slots, and never more', async () => {
    const { open, opened } = gate()
    let running = 0
    let most = 0
    const slow = flow('slow')
      .step('slow', async () => {
        most = Math.max(most, ++running)
        await opened
        running--
      })
      .build()
    await using worker = new Worker(pawl, { flows: [slow], concurrency: 3 })
    await worker.start()
    const runs = await Promise.all(Array.from({ length: 10 }, () => pawl.start(slow)))
    await until('all slots are busy', () => running === 3)
    open()
    await Promise.all(runs.map((run) => run.result()))
    expect(most).toBe(3)
  })

  test('lets the step in flight finish when it stops, stores its result and begins nothing new', async () => {
    const begun = gate()
    const { open, opened } = gate()
    const started: string[] = []
    const two = flow('two')
      .step('one', async () => {
        started.push('one')
        begun.open()
        await opened
        return 1
      })
      .step('two', async () => void started.push('two'))
      .build()
    const worker = new Worker(pawl, { flows: [two] })
    await worker.start()
    const run = await pawl.start(two)
    const queued = await pawl.start(two)
    await begun.opened
    const stops = [worker.stop({ drain: '20s' }), worker.stop({ drain: '20s' })]
    await until('it is stopping', async () => (await worker.health()).state === 'stopping')
    const late = await pawl.start(two)
    open()
    expect(await Promise.all(stops)).toEqual([{ abandoned: [] }, { abandoned: [] }])
    expect((await run.history()).map((entry) => entry.node)).toContain('one')
    expect(started).not.toContain('two')
    expect(await late.status()).toMatchObject({ status: 'running' })
    expect((await late.history()).map((entry) => entry.kind)).toEqual(['started'])

    await using next = new Worker(pawl, { flows: [two] })
    await next.start()
    await Promise.all([run, queued, late].map((each) => each.result()))
  })

  test('goes on after steps that throw, hang and return what cannot be stored, and is well', async () => {
    const bad = flow<number>('bad')
      .step(
        'bad',
        (n): unknown => {
          if (n % 4 === 0) throw new Error('no')
          if (n % 4 === 1) return new Promise(() => {})
          if (n % 4 === 2) return () => 'no data'
          return n
        },
        { timeout: 100 },
      )
      .build()
    await using worker = new Worker(pawl, { flows: [bad], concurrency: 2 })
    await worker.start()
    const runs = await Promise.all(Array.from({ length: 12 }, (_, n) => pawl.start(bad, n)))
    await Promise.allSettled(runs.map((run) => run.result()))
    const words = await Promise.all(runs.map(async (run) => (await run.status()).status))
    expect(words).toEqual(Array.from({ length: 12 }, (_, n) => (n % 4 === 3 ? 'completed' : 'failed')))
    expect(await worker.health()).toMatchObject({ state: 'ok', running: [] })
  })
})

test('history tells which worker it was that failed', async () => {
  const twice = flow('twice')
    .step('no', () => Promise.reject(new Error('no')), { retry: { maxAttempts: 2, backoff: 1 } })
    .build()
  await using worker = new Worker(pawl, { flows: [twice], name: 'ada' })
  await worker.start()
  const run = await pawl.start(twice)
  await run.result().catch((error) => expect(error).toMatchObject({ code: 'PAWL_RUN_FAILED' }))
  const failures = (await run.history()).filter((entry) => entry.code !== null)
  expect(failures).toMatchObject([
    { kind: 'attemptFailed', node: 'no', attempt: 1, detail: { worker: 'ada', retryAt: expect.any(Number) } },
    { kind: 'failed', node: 'no', attempt: 2, detail: { worker: 'ada' } },
  ])
})

describe('a claim', () => {
  test('of a process that died is free within half a minute, unless told otherwise', () => {
    expect(claimTtl(undefined)).toBeLessThan(30_000)
    expect(claimTtl('5m')).toBe(300_000)
  })

  test.each([0, -1, Number.POSITIVE_INFINITY, Number.NaN, 'never', false])(
    'never lasts for ever: claimTtl %p',
    (ttl) => {
      const flows = [flow('any').step('any', async () => 1).build()] // biome-ignore format: one line
      expect(() => new Worker(pawl, { flows, claimTtl: ttl as never })).toThrow(
        expect.objectContaining({ code: 'PAWL_OPTION', message: expect.stringContaining('claimTtl') }),
      )
    },
  )
})
