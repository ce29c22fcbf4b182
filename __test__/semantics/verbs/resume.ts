import { flow } from 'pawl'
import type { Scenarios } from './scenario'

export const resume: Scenarios = {
  'resume: a run that is over or paused is only looked at': async (rig) => {
    let started = 0
    const counting = flow<string>('counting')
      .signal<string, 'go'>('go')
      .step('count', async (word) => {
        started++
        if (word === 'fail') throw new Error('as asked')
        return word
      })
      .build()
    const [done, failed, cancelled, paused] = await Promise.all(
      ['done', 'failed', 'cancelled', 'paused'].map((id) => rig.begin(counting, undefined, id)),
    )
    await done?.signal('go', 'done')
    await failed?.signal('go', 'fail')
    for (const run of [done, failed]) if (run) await rig.ended(run)
    for (const run of [cancelled, paused]) if (run) await rig.settled(run)
    await cancelled?.cancel({ reason: 'x' })
    await paused?.pause({ reason: 'y' })
    const startedBefore = started
    for (const run of [done, failed, cancelled, paused]) {
      const history = await run?.history()
      expect(await rig.pawl.resume(run?.id ?? '')).toEqual(await run?.status())
      expect(await run?.history()).toEqual(history)
    }
    expect(started).toBe(startedBefore)
  },

  'resume: cancel, pause, signal and resume of a run that does not exist are refused': async (rig) => {
    const nobody = rig.pawl.handle('nobody')
    const calls = [
      rig.pawl.resume('nobody'),
      rig.pawl.get('nobody'),
      nobody.status(),
      nobody.result(),
      nobody.cancel(),
      nobody.pause(),
      nobody.resume(),
      nobody.signal('ok'),
    ]
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: 'PAWL_RUN_NOT_FOUND',
        message: expect.stringContaining('nobody'),
      })
    }
  },
}
