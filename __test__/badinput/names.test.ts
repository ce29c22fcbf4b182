import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, Pawl, PawlError } from 'pawl'

const echo = flow<string>('echo').step('echo', async (text) => text).build() // biome-ignore format: one line

const folder = mkdtempSync(join(tmpdir(), 'pawl-names-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Good ids, all different, however alike they look. */
const IDS = [
  'a', 'A', '0', '-', '%', '_', "'", '"', '`', '\\', '#1:a', 'a/b', '../a', 'a b', 'null', '__proto__', 'constructor', 'toString',
  'then', 'é', 'e\u0301', 'a\u200b', '\u{1f600}'.repeat(500), 'x'.repeat(500), '; DROP TABLE pawl_runs --',
] // biome-ignore format: a table

const REFUSED_IDS = [
  '',
  ' ',
  'a ',
  '\ta',
  '\u00a0a',
  '\0',
  'a\0b',
  'a\nb',
  '\u0085',
  '\x7f',
  '\ud83d',
  '\udc00a',
  'x'.repeat(501),
]

const NAMES = [
  'a', 'A', 'a b', '%', "'", '"', '.', '..', '__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'then',
  'toJSON', 'é', 'e\u0301', '\u{1f600}', 'x'.repeat(200), '; DROP TABLE pawl_runs --',
] // biome-ignore format: a table

const REFUSED_NAMES = ['', ' ', 'a ', ' a', 'a/b', 'a[0]', ']', '$a', '\0', 'a\nb', '\ud83d', 'x'.repeat(201)]

async function code(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (PawlError.is(error)) return error.code
    throw error
  }
  return 'it did not reject'
}

/** A flow with this name wherever a flow can have one. */
const named = (name: string) =>
  flow<number>(name)
    .fork({
      [name]: (b) =>
        b
          .signal<string, string>(`${name.slice(0, 190)} asks`, { signal: name })
          .step(name, async (payload, ctx) => [payload, ctx.path, await ctx.output(`${name.slice(0, 190)} asks`)]),
      other: async (n: number) => n,
    })
    .join('join', async (outputs, ctx) => ({ keys: Object.keys(outputs), own: await ctx.output(`${name}/${name}`) }))
    .build()

describe.each(['memory:', 'sqlite:'])('on %s', (store) => {
  let pawl: Pawl
  beforeEach(async () => {
    pawl = await Pawl.connect(store === 'memory:' ? store : `sqlite:${join(folder, 'runs.db')}`)
  })
  afterEach(() => pawl.close())

  test('strange ids work everywhere, and no two are taken for the same', async () => {
    for (const id of IDS) {
      const run = await pawl.start(echo, id, { id })
      expect(await code(pawl.start(echo, 'again', { id }))).toBe('PAWL_RUN_EXISTS')
      expect(await pawl.resume(id, { flows: [echo] })).toMatchObject({ id, status: 'completed', output: id })
      expect(await run.result()).toBe(id)
    }
    const listed: string[] = []
    for await (const { id } of await pawl.list({ flow: 'echo', limit: 7 })) listed.push(id)
    expect(listed).toEqual([...IDS].reverse())
  })

  test.each(REFUSED_IDS)('the id %j is refused by every call, and nothing is stored', async (id) => {
    const calls = [
      () => pawl.start(echo, 'x', { id }),
      () => pawl.run(echo, 'x', { id }),
      () => pawl.resume(id),
      () => pawl.get(id),
      () => pawl.explain(id),
      async () => pawl.handle(id),
    ]
    for (const call of calls) expect(await code(call())).toBe('PAWL_ARGUMENT')
    expect((await pawl.list({ status: 'running' })).runs).toEqual([])
  })

  test.each(NAMES)('the name %j works for flows, branches, steps and signals', async (name) => {
    const strange = named(name)
    const run = await pawl.start(strange, 5)
    expect(await pawl.resume(run.id)).toMatchObject({ status: 'awaitingSignal', signal: name })
    expect(await run.signal(name, 'hello', { key: name })).toEqual({ duplicate: false })
    expect(await run.signal(name, 'hello', { key: name })).toEqual({ duplicate: true })
    expect(await pawl.resume(run.id)).toMatchObject({
      status: 'completed',
      flow: name,
      output: { keys: [name, 'other'], own: ['hello', `${name}/${name}`, 'hello'] },
    })
    expect((await pawl.list({ flow: name })).runs.map(({ id }) => id)).toEqual([run.id])
  })

  test.each(REFUSED_NAMES)('the name %j is refused by the builder, and where something is looked up', async (name) => {
    for (const build of [
      () => flow(name).step('a', () => 1).build(),
      () => flow('a').step(name, () => 1).build(),
      () => flow('a').fork({ [name]: async () => 1 }).build(),
      () => flow('a').signal('a', { signal: name }).build(),
      () => flow('a').delay(name, 1).build(),
      () => flow('a').fork({ a: async () => 1 }).join(name).build(),
    ]) {
      expect(build).toThrow(expect.objectContaining({ code: 'PAWL_FLOW_INVALID' }))
    } // biome-ignore format: a table
    expect(await code(pawl.start(name, 1))).toMatch(/PAWL_ARGUMENT|PAWL_FLOW_UNKNOWN/)
    const asking = flow('asking').signal('go').build()
    const run = await pawl.start(asking, undefined)
    expect(await code(run.signal(name))).toBe('PAWL_ARGUMENT')
    await run.cancel()
  })
})
