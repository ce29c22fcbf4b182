import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, Pawl } from 'pawl'

const folder = mkdtempSync(join(tmpdir(), 'pawl-size-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** As many forks within each other, with a step at the bottom and one beside each. */
function nested(depth: number) {
  const nest =
    (left: number) =>
    (b: any): any =>
      left === 0
        ? b.step('leaf', async (n: number) => n)
        : b.fork({ deep: nest(left - 1), flat: async (n: number) => n })
  return nest(depth)(flow<number>(`nested ${depth}`)).build()
}

describe.each(['memory', 'sqlite'])('on %s', (store) => {
  let pawl: Pawl
  beforeEach(async () => {
    pawl = await Pawl.connect(store === 'memory' ? 'memory:' : `sqlite:${join(folder, 'runs.db')}`)
  })
  afterEach(() => pawl.close())

  test('a chain of 10,000 steps runs to its end', async () => {
    let chain = flow<number>('chain') as any
    for (let at = 0; at < 10_000; at++) chain = chain.step(`step ${at}`, async (n: number) => n + 1)
    expect(await pawl.run(chain.build(), 0, { id: 'chain' })).toMatchObject({ status: 'completed', output: 10_000 })
    expect(await pawl.handle('chain').history()).toHaveLength(10_002)
  }, 120_000)

  test('500 forks within each other run to their end, and are resumed', async () => {
    const deep = nested(500)
    const run = await pawl.start(deep, 1)
    expect((await pawl.explain(run.id)).open.length).toBeGreaterThan(0)
    expect(await pawl.resume(run.id, { flows: [deep] })).toMatchObject({ status: 'completed' })
  }, 60_000)

  test('10,000 branches of one fork run to their end', async () => {
    const branches = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`b${at}`, async (n: number) => n + at]),
    )
    const wide = flow<number>('wide').fork(branches).join('sum', (outputs) => Object.values(outputs).length).build() // biome-ignore format: one line
    expect(await pawl.run(wide, 1)).toMatchObject({ status: 'completed', output: 10_000 })
  }, 120_000)
})

test('what is too deep is refused by the builder, which names the limit', () => {
  for (const depth of [1_100, 5_000]) {
    const build = () => nested(depth)
    expect(build).toThrow(expect.objectContaining({ code: 'PAWL_FLOW_INVALID' }))
    expect(build).toThrow(/nested too deep: at most 1000 forks/)
  }
})
