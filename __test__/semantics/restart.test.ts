import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, Pawl, type RunStatus, Worker } from 'pawl'
import { until, WAYS, type Way } from './rig'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-restart-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

let started: string[] = []
const note = (name: string) => async (input: unknown) => {
  started.push(name)
  return input
}

/** Something of every kind stands before the signal, and something of every kind after it. */
const long = flow<number>('long')
  .step('first', note('first'))
  .fork({
    works: (b) => b.step('w1', note('w1')).step('w2', note('w2')),
    sleeps: (b) => b.delay('nap', 5).step('awake', note('awake')),
    asks: (b) => b.signal<string, 'early'>('early').step('asked', note('asked')),
    shaky: (b) =>
      b.step(
        'shaky',
        async (_, ctx) => {
          started.push(`shaky#${ctx.attempt}`)
          if (ctx.attempt === 1) throw new Error('no')
          return ctx.attempt
        },
        { retry: { maxAttempts: 2, backoff: 5 } },
      ),
  })
  .join('join', note('join'))
  .signal<string, 'late'>('late')
  .step('last', async (late, ctx) => [late, await ctx.output('join'), await ctx.input()])
  .build()

/** One process that works on the run until `there`, and is gone. */
async function process<Found>(way: Way, work: (pawl: Pawl, status: () => Promise<RunStatus>) => Promise<Found>) {
  const pawl = await Pawl.connect(`sqlite:${join(folder, 'runs.db')}`)
  const worker = way === 'Worker' ? new Worker(pawl, { flows: [long] }) : undefined
  await worker?.start()
  const status = () => (worker ? pawl.handle('r').status() : pawl.resume('r', { flows: [long] }))
  try {
    return await work(pawl, status)
  } finally {
    await worker?.stop({ drain: 0 })
    await pawl.close()
  }
}

test.each(WAYS)('what is stored is not run again in the next process, and its outputs go on, by %s', async (way) => {
  started = []
  await process(way, async (pawl, status) => {
    await pawl.start(long, 7, { id: 'r' })
    await pawl.handle('r').signal('early', 'message')
    await until('it waits for the second signal', async () => {
      const now = await status()
      return now.status === 'awaitingSignal' && now.signal === 'late'
    })
  })
  const once = ['asked', 'awake', 'first', 'join', 'shaky#1', 'shaky#2', 'w1', 'w2']
  expect([...started].sort()).toEqual(once)

  await process(way, async (pawl) => pawl.handle('r').signal('late', 'word'))
  const end = await process(way, async (_, status) => {
    await until('it is over', async () => (await status()).status === 'completed')
    return status()
  })
  const joined = { works: 7, sleeps: 7, asks: 'message', shaky: 2 }
  expect(end).toMatchObject({ status: 'completed', output: ['word', joined, 7] })
  expect([...started].sort()).toEqual(once)
})

test.each(WAYS)('attempts of a branch and their wait are kept for the next process, by %s', async (way) => {
  const attempts: number[] = []
  const shaky = flow('shaky')
    .fork({
      a: (b) =>
        b.step(
          'a',
          async (_, ctx) => {
            attempts.push(ctx.attempt)
            throw new Error('no')
          },
          { retry: { maxAttempts: 2, backoff: '1h', jitter: false } },
        ),
      b: async () => 1,
    })
    .build()
  const first = await Pawl.connect(`sqlite:${join(folder, 'runs.db')}`)
  const worker = way === 'Worker' ? new Worker(first, { flows: [shaky] }) : undefined
  await worker?.start()
  await first.start(shaky, undefined, { id: 'r' })
  const driven = worker ? undefined : first.resume('r')
  driven?.catch(() => undefined) // The connection is closed under it below.
  await until('the attempt has failed', async () =>
    (await first.handle('r').history()).some((entry) => entry.kind === 'attemptFailed'),
  )
  const before = await first.handle('r').status()
  await worker?.stop({ drain: 0 })
  await first.close()

  const second = await Pawl.connect(`sqlite:${join(folder, 'runs.db')}`)
  expect(await second.handle('r').status()).toEqual(before)
  expect(before).toMatchObject({ status: 'running', attempt: { node: 'a/a', number: 2, failures: 1 } })
  await second.close()
  expect(attempts).toEqual([1])
})
