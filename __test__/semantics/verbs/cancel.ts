import { flow, type PawlError } from 'pawl'
import { gate, until } from '../rig'
import { aborted, type Scenarios } from './scenario'

export const cancel: Scenarios = {
  'cancel: at once while it sleeps': async (rig) => {
    const run = await rig.begin(flow('sleeper').delay('hour', '1h').build())
    await rig.settled(run)
    await run.cancel({ reason: 'changed my mind', by: 'me' })
    expect(await run.status()).toMatchObject({ status: 'cancelled', reason: 'changed my mind', by: 'me' })
    await expect(run.result()).rejects.toMatchObject({ code: 'PAWL_RUN_CANCELLED' })
  },

  'cancel: at once while it awaits a signal; a later signal is refused': async (rig) => {
    const run = await rig.begin(flow('waiter').signal('ok').build())
    await rig.settled(run)
    await run.cancel()
    expect(await run.status()).toMatchObject({ status: 'cancelled', reason: null, by: null })
    await expect(run.signal('ok')).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
  },

  'cancel: at once between two attempts': async (rig) => {
    let started = 0
    const run = await rig.begin(
      flow('backing off')
        .step(
          'no',
          async () => {
            started++
            throw new Error('no')
          },
          { retry: { maxAttempts: 9, backoff: '1h' } },
        )
        .build(),
    )
    await until('the first attempt failed', async () =>
      (await run.history()).some((entry) => entry.kind === 'attemptFailed'),
    )
    await run.cancel()
    expect(await rig.ended(run)).toMatchObject({ status: 'cancelled' })
    expect(started).toBe(1)
  },

  'cancel: aborts what runs, and drops what it returns': async (rig) => {
    const begun = gate()
    const told = gate<PawlError>()
    let after = 0
    const busy = flow('busy')
      .step('busy', async (_, ctx) => {
        begun.open()
        told.open(await aborted(ctx.signal))
        return 'dropped'
      })
      .step('after', async () => after++)
      .build()
    const run = await rig.begin(busy)
    await begun.opened
    await run.cancel({ reason: 'stop' })
    expect((await told.opened).code).toBe('PAWL_RUN_CANCELLED')
    expect(await rig.ended(run)).toMatchObject({ status: 'cancelled', reason: 'stop' })
    expect(after).toBe(0)
    expect((await run.history()).some((entry) => entry.node === 'busy')).toBe(false)
  },
}
