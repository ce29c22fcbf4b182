import { flow } from 'pawl'
import { add, type Scenarios } from './scenario'

export const delays: Scenarios = {
  'delay: parks, passes its input through, and goes on': async (rig) => {
    const nap = flow<number>('nap').delay('nap', 80).step('after', add(1)).build()
    const run = await rig.begin(nap, 1)
    const begun = Date.now()
    const parked = await rig.settled(run)
    if (Date.now() - begun < 60) expect(parked).toMatchObject({ status: 'waiting', node: 'nap' })
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 2 })
  },

  'delay: an hour is waited for outside of memory, with earlier results kept': async (rig) => {
    const long = flow<number>('long').step('one', add(1)).delay('hour', '1h').build()
    const run = await rig.begin(long, 1)
    const status = await rig.settled(run)
    expect(status).toMatchObject({ status: 'waiting', node: 'hour' })
    expect(status.status === 'waiting' && status.wakeAt.getTime() - Date.now()).toBeGreaterThan(3_590_000)
    expect((await run.history()).map((entry) => entry.node)).toContain('one')
  },

  'delay: as the last node it gives the output': async (rig) => {
    const last = flow<number>('last').step('one', add(1)).delay('nap', 10).build()
    expect(await rig.ended(await rig.begin(last, 1))).toMatchObject({ status: 'completed', output: 2 })
  },

  'delay: until a moment that has passed is no wait': async (rig) => {
    const past = flow<string>('past')
      .delay('past', { until: new Date(0) })
      .build()
    expect(await rig.ended(await rig.begin(past, 'x'))).toMatchObject({ status: 'completed', output: 'x' })
  },
}
