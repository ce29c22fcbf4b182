import { flow, Pawl, type PawlError, Worker, type WorkerOptions } from 'pawl'
import { Events, translate } from '../../ts/worker/events'

const double = flow<number>('double').step('double', async (n) => n * 2).build() // biome-ignore format: one line
const other = flow<number>('double').step('other', async (n) => n).build() // biome-ignore format: one line

let pawl: Pawl
beforeEach(async () => {
  pawl = await Pawl.connect('memory:')
})
afterEach(() => pawl.close())

const worker = (options: Partial<WorkerOptions> = {}) => new Worker(pawl, { flows: [double], ...options })

describe('a worker', () => {
  test('runs what is started', async () => {
    await using working = worker()
    await working.start()
    const runs = await Promise.all([1, 2, 3].map((n) => pawl.start(double, n)))
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual([2, 4, 6])
    expect(await working.health()).toMatchObject({ state: 'ok', lastError: null, running: [] })
  })

  test('may be started and stopped in any order, any number of times', async () => {
    const working = worker()
    expect(await working.stop()).toEqual({ abandoned: [] })
    expect((await working.health()).state).toBe('stopped')
    await Promise.all([working.start(), working.start()])
    await Promise.all([working.stop(), working.start(), working.stop(), working.stop()])
    await working.start()
    expect(await (await pawl.start(double, 4)).result()).toBe(8)
    const stops = await Promise.all([working.stop(), working.stop({ drain: 0 })])
    expect(stops).toEqual([{ abandoned: [] }, { abandoned: [] }])
    await working.start()
    expect(await (await pawl.start(double, 5)).result()).toBe(10)
    await working.stop()
    expect((await working.health()).state).toBe('stopped')
  })

  test('tells which attempts it did not wait for', async () => {
    let reached = () => {}
    const begun = new Promise<void>((resolve) => {
      reached = resolve
    })
    const endless = flow('endless')
      .step('wait', async (_, ctx) => {
        reached()
        await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
      })
      .build()
    const working = worker({ flows: [endless] })
    await working.start()
    await pawl.start(endless, undefined, { id: 'e' })
    await begun
    expect((await working.health()).running).toMatchObject([{ runId: 'e', node: 'wait', attempt: 1 }])
    expect(await working.stop({ drain: 0 })).toEqual({ abandoned: [{ runId: 'e', node: 'wait', attempt: 1 }] })
    expect(await pawl.handle('e').status()).toMatchObject({ status: 'running' })
  })

  test('ends with its connection, and can be stopped afterwards', async () => {
    const working = worker()
    await working.start()
    await pawl.close()
    expect(await working.stop()).toEqual({ abandoned: [] })
    expect((await working.health()).state).toBe('stopped')
    await expect(working.start()).rejects.toMatchObject({ code: 'PAWL_CLOSED' })
  })

  test('has a name, which explains who holds what', () => {
    expect(worker({ name: 'packer' }).name).toBe('packer')
    expect(worker().name).toContain(String(process.pid))
  })

  test('hands what steps log to the given function, which cannot harm them by throwing', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const entries: unknown[] = []
    const talking = flow('talking').step('talk', async (_, ctx) => ctx.log.info('hello', { n: 1 })).build() // biome-ignore format: one line
    await using working = worker({
      flows: [talking],
      log: (entry) => {
        entries.push(entry)
        throw new Error('the log is full')
      },
    })
    await working.start()
    await (await pawl.start(talking, undefined, { id: 't' })).result()
    expect(entries).toEqual([
      { level: 'info', message: 'hello', fields: { n: 1 }, runId: 't', node: 'talk', attempt: 1 },
    ])
    expect(warned).toHaveBeenCalledTimes(1)
    warned.mockRestore()
  })
})

describe('wrong options', () => {
  test.each<[string, () => unknown, string, RegExp]>([
    ['no connection', () => new Worker(undefined as never, { flows: [double] }), 'PAWL_ARGUMENT', /connection is undefined/],
    ['no flows', () => worker({ flows: undefined as never }), 'PAWL_OPTION', /"flows" is undefined/],
    ['an empty list of flows', () => worker({ flows: [] }), 'PAWL_OPTION', /"flows" is empty/],
    ['a builder', () => worker({ flows: [flow('x') as never] }), 'PAWL_ARGUMENT', /flows\[0\].*\.build\(\)/],
    ['two flows of one name', () => worker({ flows: [double, other] }), 'PAWL_FLOW_INVALID', /flows\[0\] and flows\[1\] are both named "double"/],
    ['concurrency 0', () => worker({ concurrency: 0 }), 'PAWL_OPTION', /"concurrency" is 0/],
    ['half a slot', () => worker({ concurrency: 0.5 }), 'PAWL_OPTION', /"concurrency" is 0.5/],
    ['a tiny claimTtl', () => worker({ claimTtl: '10ms' }), 'PAWL_OPTION', /"claimTtl".*at least 1000 ms/],
    ['a wrong keepAlive', () => worker({ keepAlive: 1 as never }), 'PAWL_OPTION', /"keepAlive" is 1/],
    ['a wrong log', () => worker({ log: 'stdout' as never }), 'PAWL_OPTION', /"log" is "stdout"/],
    ['a typo', () => worker({ concurency: 5 } as never), 'PAWL_OPTION', /Did you mean "concurrency"/],
    ['an unknown event', () => worker().on('claimLost' as never, () => {}), 'PAWL_ARGUMENT', /Did you mean "claimsLost"/],
    ['a listener that is none', () => worker().on('error', 5 as never), 'PAWL_ARGUMENT', /listener is 5/],
  ])('%s', (_, build, code, message) => {
    expect(build).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }))
  }) // biome-ignore format: a table

  test('a wrong drain is refused and stops nothing', async () => {
    await using working = worker()
    await working.start()
    await expect(working.stop({ drain: 'soon' as never })).rejects.toMatchObject({ code: 'PAWL_OPTION' })
    await expect(working.stop({ drian: 5 } as never)).rejects.toMatchObject({
      message: expect.stringContaining('"drain"'),
    })
    expect((await working.health()).state).toBe('ok')
  })
})

describe('events', () => {
  let warned: jest.SpyInstance
  beforeEach(() => {
    warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  })
  afterEach(() => warned.mockRestore())

  test('reach every listener, whatever another one does', async () => {
    const events = new Events()
    const heard: unknown[] = []
    events.add('error', () => {
      throw new Error('listener')
    })
    events.add('error', async () => {
      throw new Error('async listener')
    })
    events.add('error', (error: PawlError) => heard.push(error.code))
    translate('storeFailed', { code: 'PAWL_STORE_FULL', message: 'the disk is full' }, events)
    await new Promise(setImmediate)
    expect(heard).toEqual(['PAWL_STORE_FULL'])
    expect(warned).toHaveBeenCalledTimes(2)
  })

  test.each([
    ['claimsLost', { attemptCount: 3 }, 'claimsLost', { attempts: 3 }],
    ['eventLoopBlocked', { blockedMs: 5 }, 'eventLoopBlocked', { forMs: 5 }],
    ['eventLoopFree', {}, 'eventLoopFree', {}],
    ['storeRecovered', {}, 'storeRecovered', {}],
    ['flowUnknown', { hash: 'abc' }, 'error', { code: 'PAWL_FLOW_UNKNOWN' }],
    ['workerFailed', { message: 'x' }, 'error', { code: 'PAWL_INTERNAL' }],
  ])('%s is told as %s', (name, data, event, told) => {
    const events = new Events()
    const heard: unknown[] = []
    events.add(event, (what: unknown) => heard.push(what))
    translate(name, data, events)
    expect(heard).toMatchObject([told])
  })

  test('no longer reach who stopped listening', () => {
    const events = new Events()
    const listener = jest.fn()
    events.add('claimsLost', listener)
    events.remove('claimsLost', listener)
    events.emit('claimsLost', { attempts: 1 })
    expect(listener).not.toHaveBeenCalled()
  })

  test('an error that nobody listens to becomes a warning of the process', () => {
    const events = new Events()
    translate('storeFailed', { code: 'PAWL_STORE_FULL', message: 'the disk is full' }, events)
    expect(warned.mock.calls[0][0]).toMatchObject({ code: 'PAWL_STORE_FULL' })
  })
})
