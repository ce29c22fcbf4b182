import { flow, Pawl, Worker } from 'pawl'

const LONG_AGO = new Date('1999-12-31')
const MUCH_LATER = new Date('2099-12-31')
const REAL_NOW = Date.now()

const begun = jest.fn()
const story = flow<number>('story')
  .step('one', async (n, ctx) => {
    begun(ctx.attempt)
    return n + 1
  })
  .delay('nap', 30)
  .signal<number>('go')
  .step('two', async (n, ctx) => n + (await ctx.output('one')), { timeout: '1h', retry: { maxAttempts: 2 } })
  .build()

beforeEach(() => begun.mockClear())
afterEach(() => jest.useRealTimers())

async function play(): Promise<void> {
  await using pawl = await Pawl.connect('memory:')
  await using worker = new Worker(pawl, { flows: [story], claimTtl: '1s' })
  await worker.start()
  const run = await pawl.start(story, 1)
  await run.signal('go', 10)
  expect(await run.result({ timeout: '20s' })).toBe(12)
  expect(begun.mock.calls).toEqual([[1]])
  // The engine's clock is the store's, and no test can move it.
  const { createdAt } = await run.status()
  expect(Math.abs(createdAt.getTime() - REAL_NOW)).toBeLessThan(600_000)
  expect(await worker.stop()).toEqual({ abandoned: [] })
}

describe('fake timers', () => {
  test.each([
    ['of the modern kind', {}],
    ['of the legacy kind', { legacyFakeTimers: true }],
    ['with a date in the past', { now: LONG_AGO }],
    ['with a date in the future', { now: MUCH_LATER }],
  ] as const)('%s, before all: everything goes on in real time', async (_, options) => {
    jest.useFakeTimers(options as never)
    await play()
  })

  test('that come and move while a worker works cost it no claim', async () => {
    await using pawl = await Pawl.connect('memory:')
    const lost = jest.fn()
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const waiting = flow('waiting').step('wait', async (_, ctx) => held.then(() => ctx.attempt)).build() // biome-ignore format: one line
    await using worker = new Worker(pawl, { flows: [waiting], claimTtl: '1s' })
    worker.on('claimsLost', lost)
    await worker.start()
    const run = await pawl.start(waiting, undefined)
    jest.useFakeTimers({ now: MUCH_LATER })
    jest.advanceTimersByTime(3_600_000)
    jest.setSystemTime(LONG_AGO)
    expect((await run.status()).status).toBe('running')
    go()
    expect(await run.result({ timeout: '20s' })).toBe(1)
    expect(lost).not.toHaveBeenCalled()
  })

  test('do not move a delay: an hour stays an hour', async () => {
    jest.useFakeTimers()
    await using pawl = await Pawl.connect('memory:')
    const long = flow('long').delay('hour', '1h').build()
    const run = await pawl.start(long, undefined)
    jest.advanceTimersByTime(2 * 3_600_000)
    expect(await pawl.resume(run.id, { flows: [long] })).toMatchObject({ status: 'waiting', node: 'hour' })
  })

  test('do not touch the dates that steps and callers see', async () => {
    jest.useFakeTimers({ now: LONG_AGO })
    await using pawl = await Pawl.connect('memory:')
    const when = flow('when').step('when', async (_, ctx) => ctx.deadline, { timeout: '1h' }).build() // biome-ignore format: one line
    const status = await pawl.run(when, undefined)
    if (status.status !== 'completed') throw new Error(status.status)
    expect((status.output as Date).getTime() - status.createdAt.getTime()).toBeGreaterThanOrEqual(3_600_000 - 1)
    expect((status.output as Date).getTime() - status.createdAt.getTime()).toBeLessThan(3_700_000)
  })
})
