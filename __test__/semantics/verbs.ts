import { type Context, flow, NonRetryableError, type PawlError, RetryAfterError, task } from 'pawl'
import { gate, type Rig, until } from './rig'

/** One thing that flows can do, played on any rig. The names are the rows of docs/VERBS.md. */
export type Scenario = (rig: Rig) => Promise<void>

const quick = { maxAttempts: 3, backoff: 5, jitter: false } as const
const add = (by: number) => async (value: number) => value + by

/** Waits for the abort that must come. */
const aborted = (signal: AbortSignal) =>
  new Promise<PawlError>((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
    if (signal.aborted) resolve(signal.reason)
  })

export const verbs: Record<string, Scenario> = {
  'step: each gets the output of the one before': async (rig) => {
    const sum = flow<number>('sum').step('two', add(2)).step('three', add(3)).build()
    expect(await rig.ended(await rig.begin(sum, 1))).toMatchObject({ status: 'completed', output: 6 })
  },

  'step: a synchronous function and no return value': async (rig) => {
    const silent = flow<number>('silent')
      .step('nothing', () => undefined)
      .step('seen', (value) => [typeof value])
      .build()
    expect(await rig.ended(await rig.begin(silent, 1))).toMatchObject({ status: 'completed', output: ['undefined'] })
  },

  'step: ctx tells the run, the path, the input and earlier outputs': async (rig) => {
    const told = flow<{ n: number }>('told')
      .step('first', async ({ n }) => n * 10)
      .fork({
        side: (b) => b.step('look', async (_, ctx) => [ctx.path, await ctx.output('first'), (await ctx.input()).n]),
      })
      .step('last', async (_, ctx) => ({ id: ctx.runId, attempt: ctx.attempt, looked: await ctx.output('side/look') }))
      .build()
    const run = await rig.begin(told, { n: 4 })
    expect(await rig.ended(run)).toMatchObject({
      status: 'completed',
      output: { id: run.id, attempt: 1, looked: ['side/look', 40, 4] },
    })
  },

  'retry: attempts are repeated until one succeeds, under one idempotency key': async (rig) => {
    const keys: string[] = []
    const shaky = flow('shaky')
      .step(
        'shaky',
        async (_, ctx) => {
          keys.push(ctx.idempotencyKey)
          if (ctx.attempt < 3) throw new Error(`attempt ${ctx.attempt}`)
          return ctx.attempt
        },
        { retry: quick },
      )
      .build()
    const run = await rig.begin(shaky)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 3 })
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    const failures = (await run.history()).filter((entry) => entry.kind === 'attemptFailed')
    expect(failures.map((entry) => entry.message)).toEqual(['attempt 1', 'attempt 2'])
  },

  'retry: used-up attempts end the run as failed, with the last error': async (rig) => {
    let started = 0
    const hopeless = flow('hopeless')
      .step(
        'hopeless',
        async () => {
          throw Object.assign(new RangeError(`no ${++started}`), { code: 'E_NO' })
        },
        { retry: quick },
      )
      .step('never', async () => started++)
      .build()
    const run = await rig.begin(hopeless)
    expect(await rig.ended(run)).toMatchObject({
      status: 'failed',
      error: {
        code: 'PAWL_STEP_FAILED',
        node: 'hopeless',
        attempt: 3,
        cause: { name: 'RangeError', message: 'no 3', code: 'E_NO' },
      },
    })
    expect(started).toBe(3)
    await expect(run.result()).rejects.toMatchObject({ code: 'PAWL_RUN_FAILED', cause: { message: 'no 3' } })
  },

  'retry: none by default': async (rig) => {
    let started = 0
    const once = flow('once')
      .step('once', async () => {
        started++
        throw new Error('no')
      })
      .build()
    expect(await rig.ended(await rig.begin(once))).toMatchObject({ status: 'failed' })
    expect(started).toBe(1)
  },

  'retry: NonRetryableError ends it at once': async (rig) => {
    let started = 0
    const final = flow('final')
      .step(
        'final',
        async () => {
          started++
          throw new NonRetryableError('expired')
        },
        { retry: quick },
      )
      .build()
    expect(await rig.ended(await rig.begin(final))).toMatchObject({
      status: 'failed',
      error: { cause: { message: 'expired' } },
    })
    expect(started).toBe(1)
  },

  'retry: RetryAfterError sets the wait': async (rig) => {
    const times: number[] = []
    const polite = flow('polite')
      .step(
        'polite',
        async (_, ctx) => {
          times.push(Date.now())
          if (ctx.attempt === 1) throw new RetryAfterError('busy', 60)
        },
        { retry: { maxAttempts: 2, backoff: '1h' } },
      )
      .build()
    expect(await rig.ended(await rig.begin(polite))).toMatchObject({ status: 'completed' })
    expect(Number(times[1]) - Number(times[0])).toBeGreaterThanOrEqual(60)
  },

  'timeout: a late attempt is aborted, fails the run and names the step': async (rig) => {
    const reasons: string[] = []
    const late = flow('late')
      .step(
        'late',
        async (_, ctx) => {
          reasons.push((await aborted(ctx.signal)).code)
          return 'too late'
        },
        { timeout: 20 },
      )
      .build()
    const status = await rig.ended(await rig.begin(late))
    expect(status).toMatchObject({ status: 'failed', error: { code: 'PAWL_STEP_TIMEOUT', node: 'late' } })
    expect(status.status === 'failed' && status.error.message).toMatch(/late.*timed out/)
    await until('the function was told', () => reasons.length > 0)
    expect(reasons).toEqual(['PAWL_STEP_TIMEOUT'])
  },

  'timeout: counts as a failed attempt, and the next may succeed': async (rig) => {
    const second = flow('second')
      .step(
        'second',
        async (_, ctx) => {
          if (ctx.attempt === 1) await aborted(ctx.signal)
          return ctx.attempt
        },
        { timeout: 30, retry: quick },
      )
      .build()
    expect(await rig.ended(await rig.begin(second))).toMatchObject({ status: 'completed', output: 2 })
  },

  'delay: parks, passes its input through, and goes on': async (rig) => {
    const nap = flow<number>('nap').delay('nap', 80).step('after', add(1)).build()
    const run = await rig.begin(nap, 1)
    const begun = Date.now()
    const parked = await rig.settled(run)
    if (Date.now() - begun < 60) expect(parked).toMatchObject({ status: 'waiting', node: 'nap' })
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 2 })
  },

  'delay: an hour is waited for outside of memory, with earlier results kept': async (rig) => {
    const long = flow<number>('long').step('one', add(1)).delay('hour', '1h').build()
    const run = await rig.begin(long, 1)
    const status = await rig.settled(run)
    expect(status).toMatchObject({ status: 'waiting', node: 'hour' })
    expect(status.status === 'waiting' && status.wakeAt.getTime() - Date.now()).toBeGreaterThan(3_590_000)
    expect((await run.history()).map((entry) => entry.node)).toContain('one')
  },

  'delay: as the last node it gives the output': async (rig) => {
    const last = flow<number>('last').step('one', add(1)).delay('nap', 10).build()
    expect(await rig.ended(await rig.begin(last, 1))).toMatchObject({ status: 'completed', output: 2 })
  },

  'delay: until a moment that has passed is no wait': async (rig) => {
    const past = flow<string>('past')
      .delay('past', { until: new Date(0) })
      .build()
    expect(await rig.ended(await rig.begin(past, 'x'))).toMatchObject({ status: 'completed', output: 'x' })
  },

  'signal: parks until it comes; the payload goes on': async (rig) => {
    const ask = flow('ask')
      .signal<{ by: string }, 'ok'>('ok')
      .step('thank', async ({ by }) => `thanks ${by}`)
      .build()
    const run = await rig.begin(ask)
    expect(await rig.settled(run)).toMatchObject({
      status: 'awaitingSignal',
      node: 'ok',
      signal: 'ok',
      timeoutAt: null,
    })
    await run.signal('ok', { by: 'ops' })
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 'thanks ops' })
  },

  'signal: one that came before is taken when the node is reached': async (rig) => {
    const { open, opened } = gate()
    const early = flow('early')
      .step('slow', async () => opened)
      .signal<number, 'ok'>('ok')
      .build()
    const run = await rig.begin(early)
    await run.signal('ok', 42)
    open()
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 42 })
  },

  'signal: several of one name are taken in order': async (rig) => {
    const three = flow('three')
      .signal<string, 'a'>('a', { signal: 'item' })
      .signal<string, 'b'>('b', { signal: 'item' })
      .signal<string, 'c'>('c', { signal: 'item' })
      .step('all', async (c, ctx) => [await ctx.output('a'), await ctx.output('b'), c])
      .build()
    const run = await rig.begin(three)
    for (const item of ['1', '2', '3']) await run.signal('item', item)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: ['1', '2', '3'] })
  },

  'signal: a repeated key is dropped': async (rig) => {
    const keyed = flow('keyed')
      .signal<number, 'first'>('first', { signal: 'paid' })
      .signal<number, 'second'>('second', { signal: 'paid', timeout: 30, onTimeout: 'continue' })
      .build()
    const run = await rig.begin(keyed)
    expect(await run.signal('paid', 1, { key: 'evt-1' })).toEqual({ duplicate: false })
    expect(await run.signal('paid', 1, { key: 'evt-1' })).toEqual({ duplicate: true })
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: { timedOut: true } })
  },

  'signal: a timeout fails the run': async (rig) => {
    const strict = flow('strict').signal('ok', { timeout: 20 }).build()
    expect(await rig.ended(await rig.begin(strict))).toMatchObject({
      status: 'failed',
      error: { code: 'PAWL_SIGNAL_TIMEOUT', node: 'ok' },
    })
  },

  'signal: a timeout with onTimeout continue is a typed output': async (rig) => {
    const lax = flow('lax')
      .signal<string, 'ok'>('ok', { timeout: 20, onTimeout: 'continue' })
      .step('see', async (seen) => seen)
      .build()
    expect(await rig.ended(await rig.begin(lax))).toMatchObject({ status: 'completed', output: { timedOut: true } })
  },

  'fork: branches get the input, the join gets their outputs by name': async (rig) => {
    const both = flow<number>('both')
      .fork({ double: async (n: number) => n * 2, more: task('add ten', (n: number) => n + 10) })
      .join('sum', ({ double, more }) => double + more)
      .step('after', add(1))
      .build()
    expect(await rig.ended(await rig.begin(both, 5))).toMatchObject({ status: 'completed', output: 26 })
  },

  'fork: branches run at the same time': async (rig) => {
    const meeting = { a: gate(), b: gate() }
    const meet = flow('meet')
      .fork({
        a: async () => {
          meeting.a.open()
          await meeting.b.opened
          return 1
        },
        b: async () => {
          meeting.b.open()
          await meeting.a.opened
          return 2
        },
      })
      .build()
    expect(await rig.ended(await rig.begin(meet))).toMatchObject({ status: 'completed', output: { a: 1, b: 2 } })
  },

  'fork: without a join the output is the object in declaration order': async (rig) => {
    const { open, opened } = gate()
    const order = flow<number>('order')
      .fork({
        slow: async (n: number) => {
          await opened
          return n
        },
        quick: async (n: number) => {
          open()
          return -n
        },
      })
      .step('keys', async (outputs) => Object.entries(outputs))
      .build()
    expect(await rig.ended(await rig.begin(order, 3))).toMatchObject({
      status: 'completed',
      output: [
        ['slow', 3],
        ['quick', -3],
      ],
    })
  },

  'fork: branches of several nodes, with a delay and a signal of their own': async (rig) => {
    const long = flow<number>('long branches')
      .fork({
        steps: (b) => b.step('one', add(1)).step('two', add(2)),
        sleepy: (b) => b.delay('nap', 15).step('awake', add(10)),
        asking: (b) => b.signal<number, 'go'>('go').step('went', add(100)),
      })
      .join('sum', ({ steps, sleepy, asking }) => [steps, sleepy, asking])
      .build()
    const run = await rig.begin(long, 1)
    await until('only the signal is left', async () => (await rig.settled(run)).status === 'awaitingSignal')
    await run.signal('go', 1)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: [4, 11, 101] })
  },

  'fork: the earliest of several parked branches is shown': async (rig) => {
    const two = flow('two naps')
      .fork({ long: (b) => b.delay('long nap', '2h'), short: (b) => b.delay('short nap', '1h') })
      .build()
    expect(await rig.settled(await rig.begin(two))).toMatchObject({ status: 'waiting', node: 'short/short nap' })
  },

  'fork: nested, first and last in a branch': async (rig) => {
    const nested = flow<number>('nested')
      .fork({
        outer: (b) =>
          b
            .fork({ x: async (n: number) => n + 1, y: (c) => c.delay('nap', 5).step('two', add(2)) })
            .join('inner', ({ x, y }) => x * y),
        plain: (b) => b.step('three', add(3)).fork({ deep: async (n: number) => n * 100 }),
      })
      .join('all', ({ outer, plain }) => ({ outer, deep: plain.deep }))
      .build()
    expect(await rig.ended(await rig.begin(nested, 1))).toMatchObject({
      status: 'completed',
      output: { outer: 6, deep: 400 },
    })
  },

  'fork: a branch that fails for good fails the run and aborts its siblings': async (rig) => {
    const told = gate<PawlError>()
    const both = gate()
    const doomed = flow('doomed')
      .fork({
        bad: async () => {
          await both.opened
          throw new Error('bad')
        },
        busy: async (_: unknown, ctx: Context) => {
          both.open()
          told.open(await aborted(ctx.signal))
        },
        idle: (b) => b.delay('hour', '1h'),
      })
      .join('never', () => 'never')
      .build()
    expect(await rig.ended(await rig.begin(doomed))).toMatchObject({
      status: 'failed',
      error: { node: 'bad/bad', cause: { message: 'bad' } },
    })
    expect((await told.opened).code).toBe('PAWL_RUN_ENDED')
  },

  'fork: a branch is retried without repeating its siblings': async (rig) => {
    let siblings = 0
    const part = flow('part')
      .fork({
        shaky: (b) =>
          b.step(
            'shaky',
            async (_, ctx) => {
              if (ctx.attempt < 3) throw new Error('no')
              return ctx.attempt
            },
            { retry: quick },
          ),
        sound: async () => ++siblings,
      })
      .build()
    expect(await rig.ended(await rig.begin(part))).toMatchObject({
      status: 'completed',
      output: { shaky: 3, sound: 1 },
    })
  },

  'cancel: at once while it sleeps': async (rig) => {
    const run = await rig.begin(flow('sleeper').delay('hour', '1h').build())
    await rig.settled(run)
    await run.cancel({ reason: 'changed my mind', by: 'me' })
    expect(await run.status()).toMatchObject({ status: 'cancelled', reason: 'changed my mind', by: 'me' })
    await expect(run.result()).rejects.toMatchObject({ code: 'PAWL_RUN_CANCELLED' })
  },

  'cancel: at once while it awaits a signal; a later signal is refused': async (rig) => {
    const run = await rig.begin(flow('waiter').signal('ok').build())
    await rig.settled(run)
    await run.cancel()
    expect(await run.status()).toMatchObject({ status: 'cancelled', reason: null, by: null })
    await expect(run.signal('ok')).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
  },

  'cancel: at once between two attempts': async (rig) => {
    let started = 0
    const run = await rig.begin(
      flow('backing off')
        .step(
          'no',
          async () => {
            started++
            throw new Error('no')
          },
          { retry: { maxAttempts: 9, backoff: '1h' } },
        )
        .build(),
    )
    await until('the first attempt failed', async () =>
      (await run.history()).some((entry) => entry.kind === 'attemptFailed'),
    )
    await run.cancel()
    expect(await rig.ended(run)).toMatchObject({ status: 'cancelled' })
    expect(started).toBe(1)
  },

  'cancel: aborts what runs, and drops what it returns': async (rig) => {
    const begun = gate()
    const told = gate<PawlError>()
    let after = 0
    const busy = flow('busy')
      .step('busy', async (_, ctx) => {
        begun.open()
        told.open(await aborted(ctx.signal))
        return 'dropped'
      })
      .step('after', async () => after++)
      .build()
    const run = await rig.begin(busy)
    await begun.opened
    await run.cancel({ reason: 'stop' })
    expect((await told.opened).code).toBe('PAWL_RUN_CANCELLED')
    expect(await rig.ended(run)).toMatchObject({ status: 'cancelled', reason: 'stop' })
    expect(after).toBe(0)
    expect((await run.history()).some((entry) => entry.node === 'busy')).toBe(false)
  },

  'pause: what runs keeps its result, nothing new starts, resume goes on': async (rig) => {
    const begun = gate()
    const { open, opened } = gate()
    const started: string[] = []
    const two = flow('two')
      .step('first', async () => {
        started.push('first')
        begun.open()
        await opened
        return 1
      })
      .step('second', async (one) => {
        started.push('second')
        return one + 1
      })
      .build()
    const run = await rig.begin(two)
    await begun.opened
    await run.pause({ reason: 'audit', by: 'boss' })
    open()
    await until('the result is kept', async () => (await run.history()).some((entry) => entry.node === 'first'))
    expect(await run.status()).toMatchObject({ status: 'paused', reason: 'audit', by: 'boss' })
    expect(started).toEqual(['first'])
    await run.resume()
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 2 })
    expect(started).toEqual(['first', 'second'])
  },

  'pause: does not swallow the completion by a last step in flight': async (rig) => {
    const begun = gate()
    const { open, opened } = gate()
    const run = await rig.begin(
      flow('last one')
        .step('only', async () => {
          begun.open()
          await opened
          return 'done'
        })
        .build(),
    )
    await begun.opened
    await run.pause()
    open()
    await until('it completed', async () => (await run.status()).status === 'completed')
    expect(await run.result()).toBe('done')
  },

  'pause: a delay that ends meanwhile goes on after the resume': async (rig) => {
    const run = await rig.begin(flow<number>('paused nap').delay('nap', 60).step('one', add(1)).build(), 1)
    await rig.settled(run)
    await run.pause().catch(() => undefined) // The nap may be over on a slow machine; then there is nothing to see here.
    const status = await run.status()
    if (status.status === 'paused') {
      await until('the nap is over', async () => Date.now() > status.createdAt.getTime() + 150)
      expect(await run.status()).toMatchObject({ status: 'paused' })
      await run.resume()
    }
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 2 })
  },

  'pause: the mail goes on; a signal sent meanwhile is taken after the resume': async (rig) => {
    const run = await rig.begin(flow('mail').signal<string, 'ok'>('ok').build())
    await rig.settled(run)
    await run.pause()
    await run.signal('ok', 'in time')
    expect(await run.status()).toMatchObject({ status: 'paused' })
    await run.resume()
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 'in time' })
  },

  'pause: twice, or of a run that has ended, is refused': async (rig) => {
    const run = await rig.begin(flow('once paused').signal('ok').build())
    await rig.settled(run)
    await run.pause()
    await expect(run.pause()).rejects.toMatchObject({ code: 'PAWL_RUN_PAUSED' })
    await run.cancel()
    await expect(run.pause()).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
    await expect(run.resume()).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
    await expect(run.cancel()).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
  },

  'deadline: a run that is too late fails, whatever it does': async (rig) => {
    const slow = flow('slow', { deadline: 60 })
      .step('slow', async (_, ctx) => {
        await aborted(ctx.signal)
      })
      .build()
    const run = await rig.begin(slow)
    expect(await rig.ended(run)).toMatchObject({ status: 'failed', error: { code: 'PAWL_RUN_DEADLINE', node: null } })
  },

  'start: the same id never starts a second run': async (rig) => {
    let started = 0
    const unique = flow<number>('unique')
      .step('count', async (n) => {
        started++
        return n
      })
      .build()
    const run = await rig.begin(unique, 1, 'the-id')
    await rig.ended(run)
    await expect(rig.pawl.start(unique, 2, { id: 'the-id' })).rejects.toMatchObject({ code: 'PAWL_RUN_EXISTS' })
    const existing = await rig.pawl.start(unique, 2, { id: 'the-id', onConflict: 'useExisting' })
    expect([existing.existing, await existing.result()]).toEqual([true, 1])
    expect(started).toBe(1)
  },

  'start: terminateExisting begins a new life that knows nothing of the old': async (rig) => {
    const mail = flow<string>('mail twice').signal<string, 'a'>('a').signal<string, 'b'>('b').build()
    const old = await rig.begin(mail, 'old', 'reborn')
    await old.signal('b', 'left over')
    await rig.settled(old)
    await rig.pawl.start(mail, 'new', { id: 'reborn', onConflict: 'terminateExisting' })
    const run = rig.pawl.handle<string>('reborn')
    await run.signal('a', '1')
    await until('it waits for b', async () => {
      const status = await rig.settled(run)
      return status.status === 'awaitingSignal' && status.signal === 'b'
    })
    await run.signal('b', '2')
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: '2' })
  },

  'start: an id of another flow is refused under every policy': async (rig) => {
    const mine = flow('mine').signal('ok').build()
    const yours = flow('yours').signal('ok').build()
    await rig.begin(mine, undefined, 'taken')
    for (const onConflict of ['fail', 'useExisting', 'terminateExisting'] as const) {
      await expect(rig.pawl.start(yours, undefined, { id: 'taken', onConflict })).rejects.toMatchObject({
        code: 'PAWL_RUN_CONFLICT',
        message: expect.stringMatching(/mine[\s\S]*yours|yours[\s\S]*mine/),
      })
    }
  },

  'values: come back as they went in, through every node': async (rig) => {
    const value = {
      date: new Date(86_400_000),
      map: new Map<unknown, unknown>([[1, { a: new Set([1n, -0]) }]]),
      nothing: undefined,
      not: Number.NaN,
      bytes: Buffer.from([0, 255]),
      floats: new Float32Array([1.5]),
      url: new URL('https://example.org/a?b'),
      pattern: /a+/gi,
      $t: 'mine',
    }
    const pass = flow<typeof value>('pass')
      .step('step', async (v) => v)
      .delay('delay', 1)
      .fork({ a: async (v: typeof value) => v, b: async () => 1 })
      .step('unpack', async ({ a }) => a)
      .signal<typeof value, 'signal'>('signal')
      .build()
    const run = await rig.begin(pass, value)
    await run.signal('signal', value)
    const status = await rig.ended(run)
    expect(status.status === 'completed' && status.output).toEqual(value)
  },

  'values: one that cannot be stored fails the step, once, naming the path': async (rig) => {
    let started = 0
    const unstorable = flow('unstorable')
      .step(
        'bad',
        async () => {
          started++
          return { list: [{ cb: () => 1 }] }
        },
        { retry: quick },
      )
      .build()
    const status = await rig.ended(await rig.begin(unstorable))
    expect(status).toMatchObject({ status: 'failed', error: { code: 'PAWL_SERIALIZATION' } })
    expect(status.status === 'failed' && status.error.message).toContain('list[0].cb')
    expect(started).toBe(1)
  },
}
