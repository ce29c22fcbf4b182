import { flow } from 'pawl'
import { until } from '../rig'
import type { Scenarios } from './scenario'

export const starts: Scenarios = {
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

  'start: the run and its input are stored before anything of it runs': async (rig) => {
    const first = flow<number>('first of all')
      .step('look', async (_, ctx) => {
        const run = rig.pawl.handle(ctx.runId)
        const { status } = await run.status()
        return [status, await ctx.input(), ...(await run.history()).map((entry) => entry.kind)]
      })
      .build()
    expect(await rig.ended(await rig.begin(first, 7))).toMatchObject({
      status: 'completed',
      output: ['running', 7, 'started'],
    })
  },
}
