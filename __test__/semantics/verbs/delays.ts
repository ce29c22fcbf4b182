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

  'delay: of one millisecond is a wait like any other': async (rig) => {
    const blink = flow<number>('blink').delay('blink', 1).step('after', add(1)).build()
    const run = await rig.begin(blink, 1)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 2 })
    expect((await run.history()).map((entry) => entry.node)).toContain('blink')
  },

  'delay: what it passed on can be read like any other output': async (rig) => {
    const read = flow<number>('read')
      .step('one', add(1))
      .delay('nap', 5)
      .step('two', add(10))
      .step('see', async (two, ctx) => [await ctx.output('one'), await ctx.output('nap'), two])
      .build()
    expect(await rig.ended(await rig.begin(read, 1))).toMatchObject({ status: 'completed', output: [2, 2, 12] })
  },

  'delay: driving the run before its time changes nothing': async (rig) => {
    let started = 0
    const early = flow('too early').delay('hour', '1h').step('after', async () => ++started).build() // biome-ignore format: one line
    const run = await rig.begin(early)
    const parked = await rig.settled(run)
    expect(await rig.pawl.resume(run.id)).toEqual(parked)
    expect(await rig.pawl.resume(run.id)).toEqual(parked)
    expect(parked).toMatchObject({ status: 'waiting', node: 'hour' })
    expect(started).toBe(0)
  },

  'delay: delays, signals and forks follow each other in any order': async (rig) => {
    const mixed = flow<number>('mixed')
      .delay('first', 1)
      .signal<number, 'second'>('second')
      .delay('third', 1)
      .fork({
        a: (b) => b.delay('a1', 1).signal<number, 'a2'>('a2'),
        b: (b) => b.signal<number, 'b1'>('b1').delay('b2', 1),
      })
      .fork({ c: (b) => b.fork({ d: (c) => c.delay('d1', 1) }), e: (b) => b.delay('e1', 1) })
      .signal<number, 'last'>('last')
      .build()
    const run = await rig.begin(mixed, 0)
    for (const [at, name] of ['last', 'b1', 'a2', 'second'].entries()) await run.signal(name, at)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 0 })
    const nodes = (await run.history()).filter((entry) => entry.kind === 'nodeCompleted').map((entry) => entry.node)
    expect(new Set(nodes).size).toBe(nodes.length)
    expect(nodes).toHaveLength(13)
  },
}
