import { Worker as Thread } from 'node:worker_threads'
import { flow, Pawl } from 'pawl'
import { Ground } from './kid'
import { flowsOf } from './programs/flows.cjs'

const { asking } = flowsOf(() => undefined)
const gate = flow('gate').signal<number>('go').build() // biome-ignore format: one line
const STORES = ['memory', 'sqlite'] as const

const ground = new Ground()
afterEach(() => ground.clear())
afterAll(() => ground.remove())
const url = (store: (typeof STORES)[number]) => (store === 'memory' ? 'memory:' : `sqlite:${ground.database()}`)

test('eight processes connect at once to a file that is not there', async () => {
  for (let round = 0; round < 5; round++) {
    const file = ground.database()
    const kids = Array.from({ length: 8 }, () => ground.kid('starter.cjs', file, 'r', '0'))
    await Promise.all(kids.map((kid) => kid.tells('up')))
    for (const kid of kids) kid.send('go')
    const ends = await Promise.all(kids.map((kid) => kid.ended))
    expect(ends).toEqual(kids.map(() => ({ code: 0, signal: null, stdout: '', stderr: '' })))
    expect(kids.flatMap((kid) => kid.all('failed'))).toEqual([])
    await using pawl = await Pawl.connect(`sqlite:${file}`)
    expect((await pawl.list()).runs).toEqual([])
  }
}, 60_000)

test('four processes without the code start one id a hundred times: one run, one message, and all hear its end', async () => {
  const file = ground.database()
  await using pawl = await Pawl.connect(`sqlite:${file}`)
  // The store gets to know the flow by a worker that has its code.
  const worker = ground.kid('worker.cjs', file)
  await worker.tells('ready')
  const kids = Array.from({ length: 4 }, () => ground.kid('starter.cjs', file, 'order-1', '25'))
  await Promise.all(kids.map((kid) => kid.tells('up')))
  for (const kid of kids) kid.send('go')
  const existing = (await Promise.all(kids.map((kid) => kid.tells('started')))).flatMap(({ data }) => data)
  expect(existing.filter((each) => each === false)).toHaveLength(1)
  expect(existing.filter((each) => each === true)).toHaveLength(99)
  expect((await Promise.all(kids.map((kid) => kid.tells('ended')))).map(({ data }) => data)).toEqual(
    Array(4).fill('hello'),
  )
  expect(worker.all('went')).toHaveLength(1)
  expect((await pawl.list()).runs.map(({ id }) => id)).toEqual(['order-1'])
  expect(await pawl.get('order-1').then((run) => run.status())).toMatchObject({ flow: 'asking', hash: asking.hash })
})

describe.each(STORES)('on %s', (store) => {
  test('a thousand wait for one result, and none of them spins', async () => {
    await using pawl = await Pawl.connect(url(store))
    const run = await pawl.start(gate, undefined)
    const results = Array.from({ length: 1_000 }, () => run.result())
    const late = run.result({ timeout: 100 })
    await expect(late).rejects.toMatchObject({ code: 'PAWL_RESULT_TIMEOUT' })
    const before = process.cpuUsage()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const { user, system } = process.cpuUsage(before)
    // Whoever waits must not spin. How often the store is asked is counted by the stories of the runtime; how dear it is on a
    // quiet machine is for the benchmark.
    expect((user + system) / 1_000_000).toBeLessThan(0.5)
    await run.signal('go', 5)
    await pawl.resume(run.id, { flows: [gate] })
    expect(new Set(await Promise.all(results))).toEqual(new Set([5]))
  })
})

test('an idle worker does not spin', async () => {
  const kid = ground.kid('worker.cjs', ground.database())
  await kid.tells('ready')
  const shares: number[] = []
  // A busy machine makes waking up dearer, so the best of some looks counts.
  for (let look = 0; look < 5 && !shares.some((share) => share < 0.01); look++) {
    kid.send('cpu')
    const before = await kid.tells('cpu', 2 * look + 1)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    kid.send('cpu')
    const after = await kid.tells('cpu', 2 * look + 2)
    const used = after.data.user + after.data.system - before.data.user - before.data.system
    shares.push(used / 1_000 / (after.at - before.at))
  }
  // The benchmark holds it to one percent of a core; what a look costs here depends on who else uses the machine.
  expect(Math.min(...shares)).toBeLessThan(0.05)
})

describe('worker threads', () => {
  const program = require.resolve('./programs/thread.cjs')
  const thread = (file: string) => {
    const worker = new Thread(program, { workerData: file })
    return {
      worker,
      tells: () => new Promise<unknown>((resolve, reject) => worker.once('message', resolve).once('error', reject)),
    }
  }

  test('have engines of their own: ending one disturbs no other', async () => {
    await using pawl = await Pawl.connect('memory:')
    const quick = flow<number>('quick').step('quick', async (n) => n).build() // biome-ignore format: one line
    const threads = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const each = thread(ground.database())
        expect(await each.tells()).toBe('ready')
        return each
      }),
    )
    while (threads.length > 0) {
      const gone = threads.shift()
      const before = Date.now()
      await gone?.worker.terminate()
      expect(Date.now() - before).toBeLessThan(2_000)
      for (const each of threads) {
        each.worker.postMessage(3)
        expect(await each.tells()).toEqual([0, 1, 2])
      }
      expect(await pawl.run(quick, 5)).toMatchObject({ output: 5 })
    }
  })

  test('leave work behind that others take over', async () => {
    const file = ground.database()
    const each = thread(file)
    expect(await each.tells()).toBe('ready')
    each.worker.postMessage('hang')
    expect(await each.tells()).toBe('hanging')
    await each.worker.terminate()
    const heir = thread(file)
    expect(await heir.tells()).toBe('ready')
    heir.worker.postMessage('hang')
    expect(await heir.tells()).toBe('hanging')
    await heir.worker.terminate()
  })
})

test('a database that was killed in the middle of writing is sound, and has all that was acknowledged', async () => {
  const file = ground.database()
  const acknowledged = new Set<string>()
  for (let round = 0; round < 8; round++) {
    const kid = ground.kid('writer.cjs', file)
    await kid.tells('started', 20 + round * 7)
    await kid.kill()
    for (const { data } of kid.all('started')) acknowledged.add(data)
    const both = await Promise.all([Pawl.connect(`sqlite:${file}`), Pawl.connect(`sqlite:${file}`)])
    await Promise.all(both.map((pawl) => pawl.list()))
    await Promise.all(both.map((pawl) => pawl.close()))
  }
  await using pawl = await Pawl.connect(`sqlite:${file}`)
  const found = new Set<string>()
  for await (const { id } of await pawl.list({ limit: 1_000 })) found.add(id)
  expect([...acknowledged].filter((id) => !found.has(id))).toEqual([])
}, 60_000)
