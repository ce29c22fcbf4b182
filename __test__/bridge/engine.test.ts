import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from '../../dist/bridge'
import { PawlError } from '../../dist/errors'
import { line } from './line.cjs'

const root = join(__dirname, '../..')

const refusal = async (promise: Promise<unknown>): Promise<PawlError> => {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(PawlError)
  return error as PawlError
}

describe('requests', () => {
  let engine: Engine
  beforeEach(async () => {
    engine = await Engine.connect('memory:')
  })
  afterEach(() => engine.close())

  test('are refused with an error of this realm that shows the line of the caller', async () => {
    const error = await refusal(engine.call('status', { id: 'nobody' }))
    expect(error).toBeInstanceOf(Error)
    expect(error.code).toBe('PAWL_RUN_NOT_FOUND')
    expect(error.stack).toContain(__filename)
    expect(error.stack?.split('\n')[0]).toBe(`PawlError: ${error.message}`)
  })

  test('are answered with a promise of this realm', () => {
    const answer = engine.call('list', { flow: null, status: null, cursor: null, limit: 1 })
    expect(answer).toBeInstanceOf(Promise)
    return answer
  })

  test.each([
    ['status', { idd: 'order-1' }, 'PAWL_ARGUMENT', /"status".*idd/],
    ['status', { id: 7 }, 'PAWL_ARGUMENT', /"status"/],
    ['workerStop', { worker: 9, drainMs: 0 }, 'PAWL_WORKER_STATE', /not running/],
    ['juggle', {}, 'PAWL_INTERNAL', /juggle/],
    ['connect', { url: 'memory:', clientName: null }, 'PAWL_INTERNAL', /already/],
  ])('%s %j is refused with %s', async (op, args, code, message) => {
    const error = await refusal(engine.call(op, args))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })

  test('come back in thousands', async () => {
    const args = { flow: null, status: null, cursor: null, limit: 1 }
    const answers = await Promise.all(Array.from({ length: 5_000 }, () => engine.call('list', args)))
    expect(answers.every(({ data }) => JSON.stringify(data) === '{"runs":[],"cursor":null}')).toBe(true)
  })
})

describe('a connection', () => {
  test.each(['postgres://localhost/db', 'orders.db', 'sqlite:'])('is refused for the url %s', async (url) => {
    const error = await refusal(Engine.connect(url))
    expect(error.code).toBe('PAWL_OPTION')
    expect(error.message).toContain('sqlite:')
  })

  test('answers what waits when it is closed, and refuses what comes later', async () => {
    const { engine, start, result } = await line({ wait: () => new Promise(() => {}) })
    const waiting = refusal(result(await start()))
    await Promise.all([engine.close(), engine.close()])
    expect((await waiting).code).toBe('PAWL_CLOSED')
    expect((await refusal(engine.call('status', { id: 'run-1' }))).code).toBe('PAWL_CLOSED')
  })

  test.each([
    ['no loader', () => {}, 'native.js'],
    ['no addon', (native: string) => install(native), 'Cannot find module'],
    [
      'a broken addon',
      (native: string) => install(native, 'not an addon'),
      /invalid ELF|too short|not a mach-o|not a valid/i,
    ],
  ])('says what is missing when there is %s', async (_, prepare, words) => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-no-addon-'))
    try {
      cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
      mkdirSync(join(folder, 'native'))
      prepare(join(folder, 'native'))
      const bare = require(join(folder, 'dist/bridge'))
      const error = await bare.Engine.connect('memory:').catch((error: unknown) => error)
      expect(error).toMatchObject({ name: 'PawlError', code: 'PAWL_NATIVE_MISSING' })
      expect(error.message).toContain(`pawl-${process.platform}-${process.arch}`)
      expect(error.message).toMatch(words)
      expect(error.cause).toBeDefined()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  /** The loader, and in the addon's place something else. */
  function install(native: string, addon?: string) {
    cpSync(join(root, 'native/native.js'), join(native, 'native.js'))
    const [name] = readdirSync(join(root, 'native')).filter((file) => file.endsWith('.node'))
    if (addon !== undefined) writeFileSync(join(native, name as string), addon)
  }
})

describe('a worker', () => {
  test('runs a flow from its input to its output', async () => {
    const { run, close } = await line({ add: (x: number) => x + 1, double: async (x: number) => x * 2 })
    expect(await run(20)).toMatchObject({ status: 'completed', output: 42 })
    await close()
  })

  test('goes on under fake timers', async () => {
    jest.useFakeTimers()
    try {
      const { run, close } = await line({ add: async (x: number) => x + 1, again: (x: number) => x + 1 })
      expect(await Promise.all([run(1), run(2)])).toMatchObject([{ output: 3 }, { output: 4 }])
      await close()
    } finally {
      jest.useRealTimers()
    }
  })

  test('ends a run with what its step threw', async () => {
    const { engine, run, close } = await line({
      charge() {
        throw Object.assign(new TypeError('card is stolen'), { code: 'E_CARD' })
      },
    })
    expect(await run(1)).toMatchObject({
      status: 'failed',
      error: { code: 'PAWL_STEP_FAILED', path: 'charge', attempt: 1 },
    })
    const { payload } = await engine.call('status', { id: 'run-1' })
    expect(payload?.text).toContain('card is stolen')
    await close()
  })

  test('tells a step why it should stop', async () => {
    let entered = () => {}
    const running = new Promise<void>((resolve) => (entered = resolve))
    let abort = (_reason: unknown) => {}
    const aborted = new Promise((resolve) => (abort = resolve))
    const { engine, start, result, close } = await line({
      wait: (_: unknown, ctx: { signal: AbortSignal }) =>
        new Promise((_, reject) => {
          ctx.signal.addEventListener('abort', () => {
            abort(ctx.signal.reason)
            reject(ctx.signal.reason)
          })
          entered()
        }),
    })
    const id = await start()
    await running
    await engine.call('cancel', { id, reason: 'out of stock', by: 'ops' })
    expect(await result(id)).toMatchObject({ status: 'cancelled' })
    const reason = await aborted
    expect(reason).toBeInstanceOf(PawlError)
    expect(reason).toMatchObject({ code: 'PAWL_RUN_CANCELLED', message: expect.stringContaining('out of stock') })
    await close()
  })

  test('names what it did not wait for when it stops', async () => {
    const { start, stop, health, close } = await line({ wait: () => new Promise(() => {}) })
    await start()
    while ((await health()).running.length === 0);
    expect((await health()).running).toMatchObject([{ runId: 'run-1', path: 'wait', attempt: 1 }])
    expect(await stop(0)).toEqual({ abandoned: [{ runId: 'run-1', path: 'wait', attempt: 1 }] })
    await close()
  })
})
