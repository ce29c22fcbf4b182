import { type Context, flow, type PawlError } from 'pawl'
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

  'cancel: of a run that nobody has begun, nothing of it ever starts': async (rig) => {
    let started = 0
    const never = flow('never').step('never', async () => ++started).build() // biome-ignore format: one line
    const run = await rig.queue(never)
    await run.cancel({ reason: 'too late', by: 'ops' })
    await rig.release(never)
    expect(await rig.settled(run)).toMatchObject({ status: 'cancelled', reason: 'too late', by: 'ops' })
    await rig.ended(await rig.begin(never))
    expect(started).toBe(1)
  },

  'cancel: stops every branch, and neither their next steps nor the join start': async (rig) => {
    const begun = { a: gate(), b: gate() }
    const told: string[] = []
    const started: string[] = []
    const busy = (name: 'a' | 'b') => async (_: unknown, ctx: Context) => {
      begun[name].open()
      told.push((await aborted(ctx.signal)).code)
    }
    const next = (name: string) => async () => void started.push(name)
    const wide = flow('wide')
      .fork({
        a: (b) => b.step('a1', busy('a')).step('a2', next('a2')),
        b: (b) => b.step('b1', busy('b')).step('b2', next('b2')),
        c: (b) => b.delay('hour', '1h').step('c2', next('c2')),
      })
      .join('all', next('all'))
      .build()
    const run = await rig.begin(wide)
    await Promise.all([begun.a.opened, begun.b.opened])
    await run.cancel()
    expect(await rig.ended(run)).toMatchObject({ status: 'cancelled' })
    await until('both were told', () => told.length === 2)
    expect(told).toEqual(['PAWL_RUN_CANCELLED', 'PAWL_RUN_CANCELLED'])
    expect(started).toEqual([])
    const history = await run.history()
    expect(history.map((entry) => entry.kind)).toEqual(['started', 'cancelled'])
    expect(history[1]?.detail).toMatchObject({ interrupted: expect.arrayContaining(['a/a1', 'b/b1']) })
    expect(history[1]?.detail).not.toMatchObject({ interrupted: expect.arrayContaining(['c/hour']) })
  },

  'cancel: stands in the history once, with reason and by, and nothing after it': async (rig) => {
    const run = await rig.begin(flow('told').step('one', async () => 1).signal('ok').build()) // biome-ignore format: one line
    await rig.settled(run)
    await run.cancel({ reason: 'enough', by: 'me' })
    await expect(run.cancel()).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
    await rig.ended(run)
    const history = await run.history()
    expect(history.map((entry) => entry.kind)).toEqual(['started', 'nodeCompleted', 'cancelled'])
    expect(history[2]).toMatchObject({ node: null, detail: { reason: 'enough', by: 'me', interrupted: [] } })
  },

  'cancel: a paused run can be cancelled': async (rig) => {
    const run = await rig.begin(flow('both').signal('ok').build())
    await rig.settled(run)
    await run.pause({ reason: 'audit' })
    await run.cancel({ reason: 'audited' })
    expect(await rig.settled(run)).toMatchObject({ status: 'cancelled', reason: 'audited' })
  },
}
