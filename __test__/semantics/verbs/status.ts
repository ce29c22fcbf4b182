import { flow } from 'pawl'
import type { Scenarios } from './scenario'

/** Goes where its input says. */
const anywhere = flow<string>('anywhere')
  .step('first', async (where) => {
    if (where === 'failed') throw new Error('as asked')
    return where
  })
  .fork({ sleeps: (b) => b.delay('hour', '1h'), asks: (b) => b.signal('ok') })
  .build()
const asks = flow('asks').signal('ok').build()
const ends = flow('ends').step('one', async () => 1).build() // biome-ignore format: one line

export const status: Scenarios = {
  'status: each of the seven words, and the list of it': async (rig) => {
    const queued = await rig.queue(ends, null, 'running')
    const runs = {
      running: queued,
      waiting: await rig.begin(anywhere, 'waiting', 'waiting'),
      awaitingSignal: await rig.begin(asks, null, 'awaitingSignal'),
      paused: await rig.begin(asks, null, 'paused'),
      cancelled: await rig.begin(asks, null, 'cancelled'),
      failed: await rig.begin(anywhere, 'failed', 'failed'),
    }
    for (const [word, run] of Object.entries(runs)) if (word !== 'running') await rig.settled(run)
    await runs.paused.pause()
    await runs.cancelled.cancel()
    const found = async (word: keyof typeof runs | 'completed') => {
      const ids = (await rig.pawl.list({ status: word })).runs.map((run) => run.id)
      expect([word, ids, (await rig.pawl.handle(word).status()).status]).toEqual([word, [word], word])
    }
    for (const word of Object.keys(runs) as (keyof typeof runs)[]) await found(word)
    const completed = await rig.queue(ends, null, 'completed')
    await queued.cancel()
    await rig.release(ends)
    await rig.ended(completed)
    await found('completed')
  },
}
