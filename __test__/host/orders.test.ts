import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, Pawl, PawlError, Worker } from 'pawl'
import { until } from './kid'

const folder = mkdtempSync(join(tmpdir(), 'pawl-orders-'))
afterAll(() => rmSync(folder, { recursive: true }))
const STORES = [
  ['memory', 'memory:'],
  ['sqlite', `sqlite:${join(folder, 'runs.db')}`],
] as const

const quick = flow<number>('quick').step('quick', async (n) => n).build() // biome-ignore format: one line

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))
}

let warned: jest.SpyInstance
beforeEach(() => {
  warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
})
afterEach(() => {
  expect(warned.mock.calls).toEqual([])
  warned.mockRestore()
})

describe.each(STORES)('on %s, without waiting for any of them', (_, url) => {
  const CALLS = {
    start: (_pawl: Pawl, worker: Worker) => worker.start(),
    'start again': (_pawl: Pawl, worker: Worker) => worker.start(),
    stop: (_pawl: Pawl, worker: Worker) => worker.stop(),
    'stop again': (_pawl: Pawl, worker: Worker) => worker.stop({ drain: 0 }),
    close: (pawl: Pawl) => pawl.close(),
  }

  test('start, stop and close in every order end in rest, or say why not', async () => {
    for (const order of permutations(Object.keys(CALLS) as (keyof typeof CALLS)[])) {
      const pawl = await Pawl.connect(url)
      const worker = new Worker(pawl, { flows: [quick] })
      const ends = await Promise.allSettled(order.map((name) => CALLS[name](pawl, worker)))
      const told = ends.map((end) => (end.status === 'fulfilled' ? 'ok' : PawlError.is(end.reason) && end.reason.code))
      for (const [at, name] of order.entries()) {
        const may = name.startsWith('start') ? ['ok', 'PAWL_CLOSED'] : ['ok']
        expect({ order, name, may, told: told[at] }).toMatchObject({
          told: expect.stringMatching(`^(${may.join('|')})$`),
        })
      }
      expect((await worker.health()).state).toBe('stopped')
    }
  })

  test('the last of many starts and stops decides whether a worker works', async () => {
    await using pawl = await Pawl.connect(url)
    const worker = new Worker(pawl, { flows: [quick] })
    await Promise.all([worker.start(), worker.stop(), worker.start(), worker.stop(), worker.start()])
    expect(await (await pawl.start(quick, 1)).result()).toBe(1)
    await Promise.all([worker.stop(), worker.start(), worker.stop()])
    const left = await pawl.start(quick, 2)
    await expect(left.result({ timeout: 200 })).rejects.toMatchObject({ code: 'PAWL_RESULT_TIMEOUT' })
    await left.cancel()
  })
})

describe('a step that ends while everything is stopped', () => {
  const ORDERS = ['stop, close', 'close, stop', 'close'] as const

  test.each(ORDERS)('%s: its result is stored, or it is run again', async (order) => {
    for (let round = 0; round < 25; round++) {
      const begun: number[] = []
      const url = `sqlite:${join(folder, `${order}-${round}.db`)}`
      const short = flow<number>('short')
        .step('short', async (n, ctx) => {
          begun.push(ctx.attempt)
          await new Promise((resolve) => setTimeout(resolve, n))
          return 'done'
        })
        .build()
      const pawl = await Pawl.connect(url)
      const worker = new Worker(pawl, { flows: [short] })
      await worker.start()
      await pawl.start(short, round % 10, { id: 'r' })
      await until('the step has begun', () => begun.length > 0)
      const calls = { stop: () => worker.stop(), close: () => pawl.close() }
      await Promise.all(order.split(', ').map((name) => calls[name as keyof typeof calls]()))

      await using later = await Pawl.connect(url)
      const before = await later.handle('r').status()
      expect(await later.resume('r', { flows: [short] })).toMatchObject({ status: 'completed', output: 'done' })
      // Told to be complete, it is not run again; told to be running, it is, once, and at once.
      expect([before.status, begun.length]).toEqual(before.status === 'completed' ? ['completed', 1] : ['running', 2])
    }
  })
})

test('a step that never settles costs one slot, and is named when the worker stops', async () => {
  await using pawl = await Pawl.connect('memory:')
  const hung = flow('hung').step('hung', () => new Promise<never>(() => undefined)).build() // biome-ignore format: one line
  const worker = new Worker(pawl, { flows: [hung, quick], concurrency: 4 })
  await worker.start()
  await pawl.start(hung, undefined, { id: 'h' })
  const runs = await Promise.all(Array.from({ length: 50 }, (_, n) => pawl.start(quick, n)))
  expect(await Promise.all(runs.map((run) => run.result()))).toEqual(Array.from({ length: 50 }, (_, n) => n))
  const { running } = await worker.health()
  expect(running).toMatchObject([{ runId: 'h', node: 'hung', sinceMs: expect.any(Number) }])
  const before = performance.now()
  expect(await worker.stop({ drain: 300 })).toEqual({ abandoned: [{ runId: 'h', node: 'hung', attempt: 1 }] })
  const tookMs = performance.now() - before
  expect(tookMs).toBeGreaterThanOrEqual(295)
  expect(tookMs).toBeLessThan(2_000)
})

test('listeners and logs that throw, reject or never settle do not keep runs from their ends', async () => {
  warned.mockClear()
  const thrown = () => {
    throw new Error('listener')
  }
  const log = jest.fn(thrown)
  await using pawl = await Pawl.connect('memory:', { log })
  const talking = flow<number>('talking')
    .step('talk', async (n, ctx) => {
      ctx.log.info('talking')
      if (n % 2 === 1) throw new Error('odd')
      return n
    })
    .build()
  const worker = new Worker(pawl, { flows: [talking] })
  for (const event of ['error', 'storeRecovered', 'claimsLost', 'eventLoopBlocked', 'eventLoopFree'] as const) {
    worker.on(event, thrown)
    worker.on(event, async () => thrown())
    worker.on(event, () => new Promise(() => undefined) as never)
  }
  await worker.start()
  const runs = await Promise.all(Array.from({ length: 20 }, (_, n) => pawl.start(talking, n)))
  const ends = await Promise.allSettled(runs.map((run) => run.result()))
  expect(ends.map(({ status }) => status)).toEqual(runs.map((_, n) => (n % 2 === 1 ? 'rejected' : 'fulfilled')))
  expect(log).toHaveBeenCalledTimes(20)
  expect(warned).toHaveBeenCalled()
  warned.mockClear()
  await worker.stop()
})
