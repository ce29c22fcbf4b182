import { type } from 'arktype'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, Pawl, PawlError, type Schema, task, Worker } from 'pawl'
import * as v from 'valibot'
import * as z from 'zod'

const bad = { items: [{ price: 1 }, { price: 'free' }] }

/** The same schema, made by each library: prices are numbers, and `at` is a text that becomes a Date. */
const order = {
  zod: z.object({ items: z.array(z.object({ price: z.number() })), at: z.string().transform((at) => new Date(at)) }),
  valibot: v.object({
    items: v.array(v.object({ price: v.number() })),
    at: v.pipe(
      v.string(),
      v.transform((at) => new Date(at)),
    ),
  }),
  arktype: type({ items: type({ price: 'number' }).array(), at: 'string.date.parse' }),
}
const good = { items: [{ price: 1 }], at: '2030-01-01' }
const parsed = { items: [{ price: 1 }], at: new Date('2030-01-01') }

type Validate = (value: unknown) => unknown

/** A schema written by hand, which answers what it is told. */
const answering = (validate: Validate): Schema<any, any> =>
  ({ '~standard': { version: 1, vendor: 'test', validate } }) as never

function throwing(thrown: unknown): Validate {
  return () => {
    throw thrown
  }
}

/** Takes a positive number and doubles it; refuses later, because it asks somebody. */
const later = answering(async (value) => {
  await new Promise(setImmediate)
  return typeof value === 'number' && value > 0 ? { value: value * 2 } : { issues: [{ message: 'must be positive' }] }
})

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

function refusalOf(build: () => unknown): PawlError {
  try {
    build()
  } catch (error) {
    if (PawlError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const nothingStored = async () => expect((await pawl.list()).runs).toEqual([])

describe.each(Object.entries(order))('the input, with %s,', (_, schema) => {
  const checkout = flow('checkout', { input: schema as Schema<any, any> })
    .step('both', async (input, ctx) => [input, await ctx.input()])
    .build()

  test('reaches the steps as the schema gives it back', async () => {
    expect(await pawl.run(checkout, good)).toMatchObject({ status: 'completed', output: [parsed, parsed] })
  })

  test('is refused with its paths, and nothing is stored', async () => {
    for (const call of [() => pawl.start(checkout, bad), () => pawl.run(checkout, bad)]) {
      const error = await rejection(call())
      expect(error.code).toBe('PAWL_SCHEMA')
      expect(error.message).toContain('The input of flow "checkout" does not fit its schema in 2 places:\n  - input.')
      expect(error.message).toMatch(/input\.items\[1\]\.price: .*number/i)
      expect(error.problems?.map(({ path }) => path).sort()).toEqual(['input.at', 'input.items[1].price'])
      expect(error.stack).toContain('schemas.test')
    }
    await nothingStored()
  })
})

describe('the input', () => {
  const doubled = flow('doubled', { input: later }).step('same', (n) => n).build() // biome-ignore format: one line

  test('is checked by a schema that takes its time', async () => {
    expect(await pawl.run(doubled, 4)).toMatchObject({ output: 8 })
    expect(await rejection(pawl.start(doubled, -1))).toMatchObject({
      code: 'PAWL_SCHEMA',
      message: 'The input of flow "doubled" does not fit its schema: input: must be positive',
    })
  })

  test('is what it was at the call, whatever the caller does with it afterwards', async () => {
    const checkout = flow('checkout', { input: type({ total: 'number' }) }).step('same', (x) => x).build() // biome-ignore format: one line
    const input = { total: 5 }
    const running = pawl.run(checkout, input)
    input.total = 6
    expect(await running).toMatchObject({ output: { total: 5 } })
  })

  test('is not checked if the flow is given by name, because a store knows no schemas', async () => {
    await pawl.run(doubled, 4)
    const run = await pawl.start('doubled', -1, { id: 'by name' })
    expect(await pawl.resume(run.id)).toMatchObject({ output: -1 })
  })

  const odd: [string, Validate, string][] = [
    ['throws', throwing(new Error('no network')), 'its schema threw: no network'],
    ['throws something else', throwing(null), 'its schema threw: null'],
    ['rejects', async (value) => throwing(new Error('no network'))(value), 'its schema threw: no network'],
    ['answers nothing', () => undefined, 'A Standard Schema answers { value } or { issues }'],
    ['answers nothing, later', async () => ({}), 'A Standard Schema answers { value } or { issues }'],
    ['has no reasons', () => ({ issues: [] }), 'does not say why'],
    ['has a nameless reason', () => ({ issues: [{}] }), 'input: it does not fit'],
    ['has a strange reason', () => ({ issues: [null, 5] }), 'input: it does not fit'],
    [
      'has strange paths',
      () => ({ issues: [{ message: 'no', path: [Symbol('s'), { key: 'a b' }, 0] }] }),
      'input["Symbol(s)"]["a b"][0]: no',
    ],
    ['has many reasons', () => ({ issues: Array(50).fill({ message: 'no' }) }), 'in 50 places'],
    ['talks much', () => ({ issues: [{ message: 'x'.repeat(1e6) }] }), 'x'.repeat(300)],
  ]

  test.each(odd)('a schema that %s is a refusal', async (_, validate, message) => {
    const checkout = flow('checkout', { input: answering(validate) }).step('same', (x) => x).build() // biome-ignore format: one line
    const error = await rejection(pawl.start(checkout, 1))
    expect([error.code, error.message.toLowerCase()]).toEqual([
      'PAWL_SCHEMA',
      expect.stringContaining(message.toLowerCase()),
    ])
    expect(error.message.length).toBeLessThan(10_000)
    await nothingStored()
  })

  test('what a schema threw is the cause', async () => {
    const thrown = new Error('no network')
    const checkout = flow('checkout', { input: answering(throwing(thrown)) }).step('same', (x) => x).build() // biome-ignore format: one line
    expect((await rejection(pawl.start(checkout, 1))).cause).toBe(thrown)
  })
})

test('docs/SCHEMAS.md shows the message that its example gets', async () => {
  const items = z.array(z.object({ price: z.number() }))
  const checkout = flow('checkout', { input: z.object({ items }) }).step('same', (x) => x).build() // biome-ignore format: one line
  const { message } = await rejection(pawl.start(checkout, { items: [{ price: 'free' as never }] }))
  const page = readFileSync(join(__dirname, '../../docs/SCHEMAS.md'), 'utf8')
  expect(page.replaceAll(/\n\/\/ +/g, ' ')).toContain(`PawlError PAWL_SCHEMA: ${message}`)
})

describe('an output', () => {
  test('is recorded as the schema gives it back, of a step, a task, a join and a task in a branch', async () => {
    const parse = task('parse', async () => good, { output: order.zod })
    const built = flow('f')
      .step('step', () => good, { output: order.valibot })
      .step(parse)
      .fork({ read: parse, other: async () => 1 })
      .join('join', ({ read }) => ({ ...good, was: read.at }), { output: order.arktype as Schema<any, any> })
      .step('all', async (joined, ctx) => [await ctx.output('step'), await ctx.output('parse'), await ctx.output('read/parse'), joined])
      .build() // biome-ignore format: one line for each node
    const joined = { ...parsed, was: parsed.at }
    expect(await pawl.run(built, undefined)).toMatchObject({ output: [parsed, parsed, parsed, joined] })
  })

  test('that does not fit fails the step at once, with its path, and is not recorded', async () => {
    let attempts = 0
    const charge = task('charge', async () => ({ items: [{ price: `${++attempts}` as never }], at: '2030' }), {
      output: order.zod,
      retry: { maxAttempts: 5, backoff: 0 },
    })
    const status = await pawl.run(flow('f').step(charge).build(), undefined, { id: 'a' })
    expect(status).toMatchObject({ status: 'failed', error: { code: 'PAWL_SCHEMA', node: 'charge', attempt: 1 } })
    const message = /^The output of "charge" does not fit its schema: output\.items\[0\]\.price: .*number/
    expect(status.status === 'failed' && status.error.message).toMatch(message)
    expect(attempts).toBe(1)
    const history = await pawl.handle('a').history()
    expect(history.filter(({ kind }) => kind === 'nodeCompleted')).toEqual([])
  })

  test('is checked by a schema that takes its time, in a worker too', async () => {
    const slow = flow('slow').step('slow', (n: unknown) => n, { output: later }).build() // biome-ignore format: one line
    await using worker = new Worker(pawl, { flows: [slow] })
    await worker.start()
    expect(await (await pawl.start(slow, 4)).result()).toBe(8)
    expect((await rejection((await pawl.start(slow, 0)).result())).run).toMatchObject({
      code: 'PAWL_SCHEMA',
      node: 'slow',
    })
  })

  test('whose schema throws is a failed attempt like any other', async () => {
    let asked = 0
    const moody = answering((value) => {
      if (++asked < 3) throw new Error('no network')
      return { value }
    })
    const built = flow('f').step('s', () => 1, { output: moody, retry: { maxAttempts: 3, backoff: 0 } }).build() // biome-ignore format: one line
    expect(await pawl.run(built, undefined)).toMatchObject({ status: 'completed', output: 1 })
    expect(asked).toBe(3)
  })

  test('beside a task takes the place of its own', async () => {
    const parse = task('parse', () => 1, { output: answering(() => ({ value: 'own' })) })
    const built = flow('f').step('own', parse).step('other', parse, { output: answering(() => ({ value: 'other' })) }).step('both', async (other, ctx) => [await ctx.output('own'), other]).build() // biome-ignore format: one line
    expect(await pawl.run(built, undefined)).toMatchObject({ output: ['own', 'other'] })
  })
})

describe('a signal', () => {
  const gate = flow<void>('gate').signal('go', { payload: order.zod }).step('after', (x) => x).build() // biome-ignore format: one line

  test('gives what the schema gives back', async () => {
    const run = await pawl.start(gate)
    await run.signal('go', good)
    expect(await pawl.resume(run.id)).toMatchObject({ output: parsed })
  })

  test('is refused with its path at the call, and the run still waits', async () => {
    const run = await pawl.start(gate)
    const error = await rejection(run.signal('go', bad as never))
    expect(error).toMatchObject({ code: 'PAWL_SCHEMA' })
    expect(error.message).toMatch(/^The payload of signal "go" does not fit .*\n {2}- payload\.items\[1\]\.price: /)
    expect(await run.status()).toMatchObject({ status: 'awaitingSignal' })
    expect(await rejection(pawl.handle('nobody').signal('go', good))).toMatchObject({ code: 'PAWL_RUN_NOT_FOUND' })
  })

  test('is checked with the schema of the flow that the run belongs to', async () => {
    const free = flow<void>('free').signal<unknown>('go').build()
    await pawl.start(gate)
    const run = await pawl.start(free)
    await run.signal('go', 'anything')
    expect(await pawl.resume(run.id)).toMatchObject({ output: 'anything' })
  })

  test('in a branch, under a name of its own and with a timeout is checked too', async () => {
    const forked = flow<void>('forked')
      .fork({
        a: (b) => b.signal('node', { signal: 'sent', payload: v.number(), timeout: '1h', onTimeout: 'continue' }),
      })
      .build()
    const run = await pawl.start(forked)
    expect(await rejection(run.signal('sent', 'five' as never))).toMatchObject({ code: 'PAWL_SCHEMA' })
    await run.signal('sent', 5)
    expect(await pawl.resume(run.id)).toMatchObject({ output: { a: 5 } })
  })

  describe('from another process', () => {
    let folder: string
    let url: string
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'pawl-schemas-'))
      url = `sqlite:${join(folder, 'runs.db')}`
      await using starter = await Pawl.connect(url)
      await starter.start(gate, undefined, { id: 'a' })
    })
    afterEach(() => rmSync(folder, { recursive: true, force: true }))

    test('is not checked by one that has never seen the flow: what was sent is what the node gives', async () => {
      await using sender = await Pawl.connect(url)
      await sender.handle('a').signal('go', 'anything')
      expect(await sender.resume('a', { flows: [gate] })).toMatchObject({ output: 'anything' })
    })

    test.each([
      ['handle()', async (pawl: Pawl) => pawl.handle('a', { flow: gate })],
      ['get()', async (pawl: Pawl) => pawl.get('a', { flow: gate })],
      ['a worker', async (pawl: Pawl) => (new Worker(pawl, { flows: [gate] }), pawl.handle('a'))],
    ])('is checked by one that gave the flow to %s', async (_, handleOf) => {
      await using sender = await Pawl.connect(url)
      const run = await handleOf(sender)
      expect(await rejection(run.signal('go', 'anything' as never))).toMatchObject({ code: 'PAWL_SCHEMA' })
      await run.signal('go', good)
      expect(await sender.resume('a', { flows: [gate] })).toMatchObject({ output: parsed })
    })
  })
})

describe('a flow', () => {
  const pass = (x: any) => x

  test('has the same hash with and without schemas', () => {
    const plain = flow('f').step('s', pass).signal('go').fork({ a: async () => 1 }).join('j', pass).build() // biome-ignore format: one line
    const checked = flow('f', { input: z.any() })
      .step('s', pass, { output: v.any() })
      .signal('go', { payload: z.any() })
      .fork({ a: async () => 1 })
      .join('j', pass, { output: type('unknown') as Schema<any, any> })
      .build()
    expect(checked.hash).toBe(plain.hash)
  })

  test.each([
    ['a number', 5],
    ['null', null],
    ['a function', () => true],
    ['an object', {}],
    ['another version', { '~standard': { version: 2, vendor: 'x', validate: pass } }],
    ['no function', { '~standard': { version: 1, vendor: 'x' } }],
    [
      'a trap',
      {
        get '~standard'() {
          throw new Error('no')
        },
      },
    ],
  ])('takes no schema that is %s', (_, schema: any) => {
    for (const [build, option] of [
      [() => flow('f', { input: schema }), /^flow "f": option "input" is .*Standard Schema/],
      [() => task('t', pass, { output: schema }), /^task "t": option "output"/],
      [() => flow('f').step('s', pass, { output: schema }), /^step "s": option "output"/],
      [
        () =>
          flow('f')
            .fork({ a: async () => 1 })
            .join('j', pass, { output: schema }),
        /^join "j": option "output"/,
      ],
      [() => flow('f').signal('go', { payload: schema }), /^signal "go": option "payload"/],
    ] as const) {
      expect(refusalOf(build)).toMatchObject({ code: 'PAWL_OPTION', message: expect.stringMatching(option) })
    }
  })

  test('has one schema for all nodes that wait for one signal', () => {
    const [one, other] = [z.number(), z.number()]
    const waiting = flow('f').signal('go', { payload: one })
    expect(waiting.signal('again', { signal: 'go', payload: one }).build().name).toBe('f')
    for (const payload of [other, undefined as never]) {
      const error = refusalOf(() => waiting.fork({ a: (b) => b.signal('again', { signal: 'go', payload }) }).build())
      expect(error.problems).toEqual([{ path: 'a/again', message: expect.stringMatching(/"go".*another schema/) }])
    }
  })

  test('for a handle must be one', async () => {
    expect(refusalOf(() => pawl.handle('a', { flow: 5 as never }))).toMatchObject({ code: 'PAWL_ARGUMENT' })
    expect(refusalOf(() => pawl.handle('a', { flwo: 5 } as never))).toMatchObject({ code: 'PAWL_OPTION' })
  })
})
