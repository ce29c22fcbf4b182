import { flow } from 'pawl'
import { gate, until } from '../rig'
import { add, type Scenarios } from './scenario'

export const pause: Scenarios = {
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
}
