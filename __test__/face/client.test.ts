import { deepStrictEqual } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, NonRetryableError, Pawl, PawlError, task } from 'pawl'

const pass = flow('pass').step('pass', async (x) => x).build() // biome-ignore format: one line
const gate = flow('gate').signal<unknown>('go').build()

/** A flow that fails with what its input function throws. */
const failing = (thrown: unknown) =>
  flow('failing')
    .step('charge', async () => {
      throw thrown
    })
    .build()

let pawl: Pawl
beforeEach(async () => {
  pawl = await Pawl.connect('memory:')
})
afterEach(() => pawl.close())

async function rejection(promise: Promise<unknown>): Promise<PawlError> {
  try {
    await promise
  } catch (error) {
    if (PawlError.is(error)) return error
    throw error
  }
  throw new Error('it did not reject')
}

describe('starting', () => {
  test('makes ids that are unique and sort by time', async () => {
    const ids: string[] = []
    for (let at = 0; at < 100; at++) ids.push((await pawl.start(gate, undefined)).id)
    expect(new Set(ids).size).toBe(100)
    expect([...ids].sort()).toEqual(ids)
  })

  test('says whether it found the run or made it', async () => {
    const first = await pawl.start(gate, undefined, { id: 'a' })
    const second = await pawl.start(gate, undefined, { id: 'a', onConflict: 'useExisting' })
    expect([first.existing, second.existing]).toEqual([false, true])
    expect(await rejection(pawl.start(gate, undefined, { id: 'a' }))).toMatchObject({ code: 'PAWL_RUN_EXISTS' })
    expect(await rejection(pawl.start(pass, 1, { id: 'a', onConflict: 'useExisting' }))).toMatchObject({
      code: 'PAWL_RUN_CONFLICT',
    })
  })

  test('by name takes the flow that was used before', async () => {
    expect(await rejection(pawl.start('gate'))).toMatchObject({ code: 'PAWL_FLOW_UNKNOWN' })
    await pawl.start(gate, undefined)
    const run = await pawl.start('gate', undefined, { id: 'named' })
    expect(await run.status()).toMatchObject({ id: 'named', flow: 'gate', hash: gate.hash, status: 'awaitingSignal' })
  })

  test('freezes the input: what the caller does with it afterwards does not matter', async () => {
    const keep = flow<object>('keep')
      .signal('go')
      .step('input', async (_, ctx) => ctx.input())
      .build()
    const input = { n: 1, at: new Date(0) }
    const starting = pawl.start(keep, input, { id: 'k' })
    input.n = 2
    input.at.setTime(5)
    await (await starting).signal('go')
    expect(await pawl.resume('k')).toMatchObject({ status: 'completed', output: { n: 1, at: new Date(0) } })
  })
})

describe('values', () => {
  const rich = {
    undefined: undefined,
    numbers: [-0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e21],
    at: new Date(5),
    map: new Map<unknown, unknown>([['k', new Set([1n])]]),
    bytes: Buffer.from('bytes'),
    floats: new Float64Array([1.5]),
    odd: ['\0', '\ud83d', { $t: 'Date' }],
    holes: new Array(3).fill(1, 1, 2),
    error: new TypeError('kept', { cause: 'why' }),
  }

  test.each(['memory:', 'sqlite:'])('pass through steps, forks and %s as they are', async (store) => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-values-'))
    try {
      await using other = await Pawl.connect(store === 'memory:' ? store : `sqlite:${join(folder, 'values.db')}`)
      const seen: unknown[] = []
      const look = task('look', async (x: unknown) => {
        seen.push(x)
        return x
      })
      const carry = flow('carry')
        .step(look)
        .fork({ a: look, b: (b) => b.delay('nap', 0).signal<unknown>('go').step(look) })
        .build()
      const parked = await other.run(carry, rich, { id: 'v' })
      expect(parked.status).toBe('awaitingSignal')
      await other.handle('v').signal('go', rich)
      const done = await other.resume('v')
      if (done.status !== 'completed') throw new Error(`it is ${done.status}`)
      for (const value of [...seen, ...Object.values(done.output as object)]) deepStrictEqual(value, rich)
      expect(seen.length).toBe(3)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('that are nothing at all are told apart', async () => {
    for (const value of [undefined, null])
      expect(await pawl.run(pass, value)).toMatchObject({ status: 'completed', output: value })
  })

  test('that cannot be stored are refused at the call, by path, and nothing is started', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    for (const [input, path] of [
      [{ items: [() => 1] }, 'input.items[0]'],
      [cyclic, 'input.self'],
    ] as const) {
      const error = await rejection(pawl.start(pass, input, { id: 'never' }))
      expect(error).toMatchObject({ code: 'PAWL_SERIALIZATION', message: expect.stringContaining(path) })
    }
    expect(await rejection(pawl.get('never'))).toMatchObject({ code: 'PAWL_RUN_NOT_FOUND' })
    const run = await pawl.start(gate, undefined)
    expect(await rejection(run.signal('go', { cb() {} }))).toMatchObject({
      message: expect.stringContaining('payload.cb'),
    })
  })
})

describe('the end of a run', () => {
  test('that failed names the step, the attempt and the error, whose cause is what was thrown', async () => {
    const error = Object.assign(new TypeError('card declined'), { code: 'E_CARD' })
    const failed = failing(error)
    await pawl.run(failed, undefined, { id: 'f' })
    const rejected = await rejection(pawl.handle('f').result())
    expect(rejected).toMatchObject({
      code: 'PAWL_RUN_FAILED',
      message: 'Run "f" of flow "failing" failed at "charge" on attempt 1: card declined',
      run: { id: 'f', flow: 'failing', node: 'charge', attempt: 1, code: 'PAWL_STEP_FAILED' },
      cause: { message: 'card declined', code: 'E_CARD' },
    })
    expect(rejected.cause).toBeInstanceOf(TypeError)
    expect((rejected.cause as Error).stack).toContain('client.test')
  })

  test.each([undefined, null, 'text', 42, 7n, { reason: 'object' }])('may be a thrown %p', async (thrown) => {
    const status = await pawl.run(failing(thrown), undefined, { id: 'f' })
    expect(status).toMatchObject({ status: 'failed', error: { code: 'PAWL_STEP_FAILED', cause: thrown } })
    expect((await rejection(pawl.handle('f').result())).message).toMatch(/failed at "charge" on attempt 1: ./)
  })

  test('is final for a NonRetryableError, whatever the policy', async () => {
    let attempts = 0
    const stubborn = task(
      'stubborn',
      async () => {
        attempts++
        throw new NonRetryableError('no use')
      },
      { retry: { maxAttempts: 5, backoff: 0 } },
    )
    expect(await pawl.run(flow('f').step(stubborn).build(), undefined)).toMatchObject({ status: 'failed' })
    expect(attempts).toBe(1)
  })

  test('that was cancelled says why and by whom', async () => {
    const run = await pawl.start(gate, undefined, { id: 'c' })
    await run.cancel({ reason: 'changed \ud83d mind', by: 'ops' })
    expect(await rejection(run.result())).toMatchObject({
      code: 'PAWL_RUN_CANCELLED',
      message: 'Run "c" of flow "gate" was cancelled by ops: changed \ufffd mind',
      run: { reason: 'changed \ufffd mind', by: 'ops' },
    })
    expect(await rejection(run.cancel())).toMatchObject({ code: 'PAWL_RUN_ENDED' })
  })

  test('is not waited for longer than asked', async () => {
    const run = await pawl.start(gate, undefined)
    expect(await rejection(run.result({ timeout: 0 }))).toMatchObject({ code: 'PAWL_RESULT_TIMEOUT' })
    expect(await rejection(run.result({ timeout: '10ms' }))).toMatchObject({ code: 'PAWL_RESULT_TIMEOUT' })
  })
})

describe('reading', () => {
  test('pages follow each other, and iterating goes over all of them', async () => {
    for (let at = 0; at < 7; at++) await pawl.start(at % 2 ? gate : pass, undefined, { id: `r${at}` })
    const page = await pawl.list({ limit: 3 })
    expect(page.runs.map(({ id }) => id)).toEqual(['r6', 'r5', 'r4'])
    const all: string[] = []
    for await (const run of page) all.push(run.id)
    expect(all).toEqual(['r6', 'r5', 'r4', 'r3', 'r2', 'r1', 'r0'])
    const gates = await pawl.list({ flow: gate, status: 'awaitingSignal' })
    expect(gates.runs.map(({ id }) => id)).toEqual(['r5', 'r3', 'r1'])
    expect(gates.cursor).toBeNull()
  })

  test('moments are Dates, and numbers are numbers', async () => {
    const nap = flow('nap', { deadline: '7d' }).delay('long', '36500d').build()
    const status = await pawl.run(nap, undefined)
    if (status.status !== 'waiting') throw new Error(status.status)
    expect(status.createdAt).toBeInstanceOf(Date)
    expect(status.wakeAt.getTime() - status.createdAt.getTime()).toBeGreaterThanOrEqual(36_500 * 86_400_000)
    expect(status.deadlineAt?.getTime()).toBeGreaterThan(status.createdAt.getTime())
  })

  test('history and explanation tell the same story', async () => {
    const run = await pawl.start(gate, undefined, { id: 'h' })
    await run.pause({ reason: 'lunch', by: 'ops' })
    expect(await run.status()).toMatchObject({ status: 'paused', reason: 'lunch', by: 'ops' })
    expect((await pawl.explain('h')).summary).toMatch(/paused/i)
    await run.resume({ by: 'ops' })
    expect((await pawl.explain('h')).open).toMatchObject([{ node: 'go', dueAt: null }])
    expect((await run.history()).map(({ kind }) => kind)).toEqual(['started', 'paused', 'resumed'])
  })
})

describe('a wrong call', () => {
  const MISUSES: [what: string, call: (pawl: Pawl) => Promise<unknown>, code: string, message: RegExp][] = [
    ['connect without a url', () => Pawl.connect(undefined as never), 'PAWL_ARGUMENT', /url is undefined/],
    ['connect to nowhere', () => Pawl.connect('orders.db'), 'PAWL_OPTION', /sqlite:FILE/],
    ['connect to PostgreSQL', () => Pawl.connect('postgres://localhost/x'), 'PAWL_OPTION', /PostgreSQL/],
    ['connect with a typo', () => Pawl.connect('memory:', { nme: 'x' } as never), 'PAWL_OPTION', /Did you mean "name"/],
    ['start nothing', (p) => p.start(undefined as never), 'PAWL_ARGUMENT', /the flow is undefined/],
    ['start a builder', (p) => p.start(flow('x') as never), 'PAWL_ARGUMENT', /call \.build\(\)/],
    ['start with an empty id', (p) => p.start(pass, 1, { id: '' }), 'PAWL_ARGUMENT', /id is "", but it is empty/],
    ['start with a number as id', (p) => p.start(pass, 1, { id: 5 as never }), 'PAWL_ARGUMENT', /id is 5/],
    ['start with a typo', (p) => p.start(pass, 1, { onConflit: 'fail' } as never), 'PAWL_OPTION', /Did you mean "onConflict"/],
    ['start with an unknown word', (p) => p.start(pass, 1, { onConflict: 'overwrite' as never }), 'PAWL_OPTION', /'terminateExisting'/],
    ['start with options as input', (p) => p.start(pass, 1, 'x' as never), 'PAWL_OPTION', /options of start\(\) are "x"/],
    ['run by name', (p) => p.run('pass' as never), 'PAWL_ARGUMENT', /run\(\): the flow is "pass"/],
    ['resume with a flow that is none', (p) => p.resume('x', { flows: [5 as never] }), 'PAWL_ARGUMENT', /flows\[0\]/],
    ['resume nothing', (p) => p.resume('x'), 'PAWL_RUN_NOT_FOUND', /"x"/],
    ['get nothing', (p) => p.get('x'), 'PAWL_RUN_NOT_FOUND', /"x"/],
    ['explain nothing', (p) => p.explain('x'), 'PAWL_RUN_NOT_FOUND', /"x"/],
    ['list too many', (p) => p.list({ limit: 5_000 }), 'PAWL_OPTION', /limit.*from 1 to 1000/],
    ['list a status there is not', (p) => p.list({ status: 'complete' as never }), 'PAWL_OPTION', /Did you mean 'completed'/],
    ['connect to a novel', () => Pawl.connect(`sqlite:${'x'.repeat(1e6)}`), 'PAWL_OPTION', /^.{1,200}$/],
    ['list behind a long cursor', (p) => p.list({ cursor: 'x'.repeat(1e6) }), 'PAWL_ARGUMENT', /^.{1,200}$/],
    ['get a number', (p) => p.get(5 as never), 'PAWL_ARGUMENT', /^get\(\): the id is 5.*"order-42"/],
    ['list behind a strange cursor', (p) => p.list({ cursor: 'x' }), 'PAWL_ARGUMENT', /cursor/],
    ['signal without a name', (p) => p.handle('x').signal(undefined as never), 'PAWL_ARGUMENT', /name of the signal is undefined/],
    ['signal with an empty key', (p) => p.handle('x').signal('go', 1, { key: '' }), 'PAWL_ARGUMENT', /key.*empty/],
    ['wait for nonsense', (p) => p.handle('x').result({ timeout: 'long' as never }), 'PAWL_OPTION', /"timeout" is "long"/],
    ['cancel with a typo', (p) => p.handle('x').cancel({ reasn: 'x' } as never), 'PAWL_OPTION', /Did you mean "reason"/],
    ['pause nothing', (p) => p.handle('x').pause(), 'PAWL_RUN_NOT_FOUND', /"x"/],
  ] // biome-ignore format: a table

  test.each(MISUSES)(
    '%s: has a code, says what is wrong, and shows where it was made',
    async (_, call, code, message) => {
      const error = await rejection(call(pawl))
      expect(error).toMatchObject({ code, message: expect.stringMatching(message), name: 'PawlError' })
      expect(error).toBeInstanceOf(Error)
      expect(error.stack).toContain('client.test')
    },
  )

  test('on a closed connection says so, and closing twice is closing once', async () => {
    await Promise.all([pawl.close(), pawl.close()])
    await pawl.close()
    for (const call of [pawl.start(pass, 1), pawl.run(pass, 1), pawl.list(), pawl.handle('x').status()]) {
      expect(await rejection(call)).toMatchObject({
        code: 'PAWL_CLOSED',
        stack: expect.stringContaining('client.test'),
      })
    }
  })
})
