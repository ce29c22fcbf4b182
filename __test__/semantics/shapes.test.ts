import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, Pawl, Worker } from 'pawl'
import { STORES } from './rig'

let started: string[] = []
const note = (name: string) => async () => void started.push(name)
const old = flow('changing').step('one', note('old')).build()
const changed = flow('changing').step('one', note('new')).step('two', note('new')).build()
const other = flow('other').step('one', note('other')).build()

let folder: string
let pawls: Pawl[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-shapes-'))
  started = []
})
afterEach(async () => {
  await Promise.all(pawls.map((pawl) => pawl.close()))
  pawls = []
  rmSync(folder, { recursive: true, force: true })
})

async function connect(store: string): Promise<Pawl> {
  const pawl = await Pawl.connect(store === 'memory' ? 'memory:' : `sqlite:${join(folder, 'runs.db')}`)
  pawls.push(pawl)
  return pawl
}

describe.each(STORES)('on %s', (store) => {
  test('a worker leaves runs of other flows and shapes alone, and they hide nothing from it', async () => {
    const pawl = await connect(store)
    const foreign = await Promise.all(
      Array.from({ length: 300 }, (_, at) => pawl.start(at % 2 ? other : old, undefined, { id: `foreign-${at}` })),
    )
    const mine = await Promise.all(Array.from({ length: 3 }, () => pawl.start(changed)))
    await using worker = new Worker(pawl, { flows: [changed], concurrency: 1 })
    await worker.start()
    await Promise.all(mine.map((run) => run.result()))
    expect(started).toEqual(Array(6).fill('new'))
    for (const run of foreign.slice(0, 4)) {
      expect((await run.history()).map((entry) => entry.kind)).toEqual(['started'])
      expect(await pawl.explain(run.id)).toMatchObject({ status: 'running', open: [{ attempt: 1, worker: null }] })
    }

    await using rest = new Worker(pawl, { flows: [old, other] })
    await rest.start()
    await Promise.all(foreign.map((run) => run.result()))
    expect(started).toHaveLength(306)
  })

  test('a run of another shape is refused with both hashes, and nothing of it changes', async () => {
    const pawl = await connect(store)
    const run = await pawl.start(old, undefined, { id: 'r' })
    const history = await run.history()
    const going = pawl.run(changed, undefined, { id: 'r', onConflict: 'useExisting' })
    await expect(going).rejects.toMatchObject({
      code: 'PAWL_FLOW_MISMATCH',
      message: expect.stringMatching(new RegExp(`mismatch.*"r".*${old.hash}.*${changed.hash}`)),
    })
    expect(started).toEqual([])
    expect(await run.history()).toEqual(history)
    expect(await pawl.resume('r')).toMatchObject({ status: 'completed' })
  })
})

describe('in another process', () => {
  test('resume refuses a run of another shape, and one whose flow it does not have', async () => {
    await (await connect('sqlite')).start(old, undefined, { id: 'r' })
    const pawl = await connect('sqlite')
    await expect(pawl.resume('r', { flows: [changed, other] })).rejects.toMatchObject({
      code: 'PAWL_FLOW_MISMATCH',
      message: expect.stringMatching(new RegExp(`mismatch.*${old.hash}.*${changed.hash}`)),
    })
    // The flow that was given has been used with this connection from now on.
    const third = await connect('sqlite')
    for (const options of [{}, { flows: [other] }]) {
      await expect(third.resume('r', options)).rejects.toMatchObject({
        code: 'PAWL_FLOW_UNKNOWN',
        message: expect.stringContaining('"changing"'),
      })
    }
    expect(started).toEqual([])
    expect(await third.resume('r', { flows: [old] })).toMatchObject({ status: 'completed' })
  })

  test('a run goes on under other retries, timeouts and delays, which do not change the shape', async () => {
    const tuned = (attempts: number, timeout: number) =>
      flow('tuned')
        .signal('go')
        .step(
          'shaky',
          async (_, ctx) => {
            if (ctx.attempt < 3) throw new Error('not yet')
            return ctx.attempt
          },
          { timeout, retry: { maxAttempts: attempts, backoff: 1 } },
        )
        .build()
    const [before, after] = [tuned(1, 60_000), tuned(3, 30_000)]
    expect(after.hash).toBe(before.hash)
    const first = await connect('sqlite')
    expect(await first.run(before, undefined, { id: 'r' })).toMatchObject({ status: 'awaitingSignal' })
    await first.handle('r').signal('go')
    const second = await connect('sqlite')
    expect(await second.resume('r', { flows: [after] })).toMatchObject({ status: 'completed', output: 3 })
  })
})
