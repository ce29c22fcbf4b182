import { type Context, flow, type PawlError, task } from 'pawl'
import { gate, until } from '../rig'
import { aborted, add, quick, type Scenarios } from './scenario'

export const forks: Scenarios = {
  'fork: branches get the input, the join gets their outputs by name': async (rig) => {
    const both = flow<number>('both')
      .fork({ double: async (n: number) => n * 2, more: task('add ten', (n: number) => n + 10) })
      .join('sum', ({ double, more }) => double + more)
      .step('after', add(1))
      .build()
    expect(await rig.ended(await rig.begin(both, 5))).toMatchObject({ status: 'completed', output: 26 })
  },

  'fork: branches run at the same time': async (rig) => {
    const meeting = { a: gate(), b: gate() }
    const meet = flow('meet')
      .fork({
        a: async () => {
          meeting.a.open()
          await meeting.b.opened
          return 1
        },
        b: async () => {
          meeting.b.open()
          await meeting.a.opened
          return 2
        },
      })
      .build()
    expect(await rig.ended(await rig.begin(meet))).toMatchObject({ status: 'completed', output: { a: 1, b: 2 } })
  },

  'fork: without a join the output is the object in declaration order': async (rig) => {
    const { open, opened } = gate()
    const order = flow<number>('order')
      .fork({
        slow: async (n: number) => {
          await opened
          return n
        },
        quick: async (n: number) => {
          open()
          return -n
        },
      })
      .step('keys', async (outputs) => Object.entries(outputs))
      .build()
    expect(await rig.ended(await rig.begin(order, 3))).toMatchObject({
      status: 'completed',
      output: [
        ['slow', 3],
        ['quick', -3],
      ],
    })
  },

  'fork: branches of several nodes, with a delay and a signal of their own': async (rig) => {
    const long = flow<number>('long branches')
      .fork({
        steps: (b) => b.step('one', add(1)).step('two', add(2)),
        sleepy: (b) => b.delay('nap', 15).step('awake', add(10)),
        asking: (b) => b.signal<number, 'go'>('go').step('went', add(100)),
      })
      .join('sum', ({ steps, sleepy, asking }) => [steps, sleepy, asking])
      .build()
    const run = await rig.begin(long, 1)
    await until('only the signal is left', async () => (await rig.settled(run)).status === 'awaitingSignal')
    await run.signal('go', 1)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: [4, 11, 101] })
  },

  'fork: the earliest of several parked branches is shown': async (rig) => {
    const two = flow('two naps')
      .fork({ long: (b) => b.delay('long nap', '2h'), short: (b) => b.delay('short nap', '1h') })
      .build()
    expect(await rig.settled(await rig.begin(two))).toMatchObject({ status: 'waiting', node: 'short/short nap' })
  },

  'fork: nested, first and last in a branch': async (rig) => {
    const nested = flow<number>('nested')
      .fork({
        outer: (b) =>
          b
            .fork({ x: async (n: number) => n + 1, y: (c) => c.delay('nap', 5).step('two', add(2)) })
            .join('inner', ({ x, y }) => x * y),
        plain: (b) => b.step('three', add(3)).fork({ deep: async (n: number) => n * 100 }),
      })
      .join('all', ({ outer, plain }) => ({ outer, deep: plain.deep }))
      .build()
    expect(await rig.ended(await rig.begin(nested, 1))).toMatchObject({
      status: 'completed',
      output: { outer: 6, deep: 400 },
    })
  },

  'fork: a branch that fails for good fails the run and aborts its siblings': async (rig) => {
    const told = gate<PawlError>()
    const both = gate()
    const doomed = flow('doomed')
      .fork({
        bad: async () => {
          await both.opened
          throw new Error('bad')
        },
        busy: async (_: unknown, ctx: Context) => {
          both.open()
          told.open(await aborted(ctx.signal))
        },
        idle: (b) => b.delay('hour', '1h'),
      })
      .join('never', () => 'never')
      .build()
    expect(await rig.ended(await rig.begin(doomed))).toMatchObject({
      status: 'failed',
      error: { node: 'bad/bad', cause: { message: 'bad' } },
    })
    expect((await told.opened).code).toBe('PAWL_RUN_ENDED')
  },

  'fork: a branch is retried without repeating its siblings': async (rig) => {
    let siblings = 0
    const part = flow('part')
      .fork({
        shaky: (b) =>
          b.step(
            'shaky',
            async (_, ctx) => {
              if (ctx.attempt < 3) throw new Error('no')
              return ctx.attempt
            },
            { retry: quick },
          ),
        sound: async () => ++siblings,
      })
      .build()
    expect(await rig.ended(await rig.begin(part))).toMatchObject({
      status: 'completed',
      output: { shaky: 3, sound: 1 },
    })
  },

  'fork: a branch that sleeps holds no other up, and what they bring is kept': async (rig) => {
    const sleepy = flow<number>('one sleeps')
      .fork({ sleeps: (b) => b.delay('hour', '1h'), works: (b) => b.step('one', add(1)).step('two', add(1)) })
      .build()
    const run = await rig.begin(sleepy, 1)
    expect(await rig.settled(run)).toMatchObject({ status: 'waiting', node: 'sleeps/hour' })
    const nodes = (await run.history()).map((entry) => entry.node)
    expect(nodes).toEqual(expect.arrayContaining(['works/one', 'works/two']))
  },

  'fork: an inner fork waits for its own branches while the others go on': async (rig) => {
    const inner = flow<number>('inner')
      .fork({
        outer: (b) =>
          b
            .fork({ asks: (c) => c.signal<number, 'go'>('go'), works: async (n: number) => n + 1 })
            .join('both', ({ asks, works }) => asks + works),
        beside: (b) => b.step('one', add(1)).step('two', add(1)),
      })
      .join('all', ({ outer, beside }) => [outer, beside])
      .build()
    const run = await rig.begin(inner, 1)
    expect(await rig.settled(run)).toMatchObject({ status: 'awaitingSignal', signal: 'go' })
    const nodes = (await run.history()).map((entry) => entry.node)
    expect(nodes).toEqual(expect.arrayContaining(['outer/works/works', 'beside/one', 'beside/two']))
    await run.signal('go', 10)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: [12, 3] })
  },

  'fork: a function of a branch that throws at once fails the run with what it threw': async (rig) => {
    const sudden = flow('sudden')
      .fork({
        bad: task('throws', () => {
          throw new TypeError('at once')
        }),
        good: async () => 1,
      })
      .join('never', () => 'never')
      .build()
    expect(await rig.ended(await rig.begin(sudden))).toMatchObject({
      status: 'failed',
      error: { code: 'PAWL_STEP_FAILED', node: 'bad/throws', cause: { name: 'TypeError', message: 'at once' } },
    })
  },
}
