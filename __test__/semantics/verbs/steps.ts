import { AsyncLocalStorage } from 'node:async_hooks'
import { flow } from 'pawl'
import { add, type Scenarios } from './scenario'

export const steps: Scenarios = {
  'step: each gets the output of the one before': async (rig) => {
    const sum = flow<number>('sum').step('two', add(2)).step('three', add(3)).build()
    expect(await rig.ended(await rig.begin(sum, 1))).toMatchObject({ status: 'completed', output: 6 })
  },

  'step: a synchronous function and no return value': async (rig) => {
    const silent = flow<number>('silent')
      .step('nothing', () => undefined)
      .step('seen', (value) => [typeof value])
      .build()
    expect(await rig.ended(await rig.begin(silent, 1))).toMatchObject({ status: 'completed', output: ['undefined'] })
  },

  'step: ctx tells the run, the path, the input and earlier outputs': async (rig) => {
    const told = flow<{ n: number }>('told')
      .step('first', async ({ n }) => n * 10)
      .fork({
        side: (b) => b.step('look', async (_, ctx) => [ctx.path, await ctx.output('first'), (await ctx.input()).n]),
      })
      .step('last', async (_, ctx) => ({ id: ctx.runId, attempt: ctx.attempt, looked: await ctx.output('side/look') }))
      .build()
    const run = await rig.begin(told, { n: 4 })
    expect(await rig.ended(run)).toMatchObject({
      status: 'completed',
      output: { id: run.id, attempt: 1, looked: ['side/look', 40, 4] },
    })
  },

  'step: one, two or three in a chain complete with the output of the last': async (rig) => {
    const one = flow<number>('one').step('1', add(1)).build()
    const two = flow<number>('two').step('1', add(1)).step('2', add(1)).build()
    const three = flow<number>('three').step('1', add(1)).step('2', add(1)).step('3', add(1)).build()
    for (const [chain, output] of [
      [one, 1],
      [two, 2],
      [three, 3],
    ] as const) {
      expect(await rig.ended(await rig.begin(chain, 0))).toMatchObject({ status: 'completed', output })
    }
  },

  'step: the result of each is stored before the next begins': async (rig) => {
    const stored = async (_: unknown, ctx: { readonly runId: string }) => {
      const history = await rig.pawl.handle(ctx.runId).history()
      return history.map((entry) => (entry.kind === 'nodeCompleted' ? entry.node : entry.kind))
    }
    const chain = flow('stored').step('first', stored).step('second', stored).step('third', stored).build()
    expect(await rig.ended(await rig.begin(chain))).toMatchObject({
      status: 'completed',
      output: ['started', 'first', 'second'],
    })
  },

  'step: sees what AsyncLocalStorage held where the work was begun, in branches too': async (rig) => {
    const tenant = new AsyncLocalStorage<string>()
    const look = async () => {
      const seen = tenant.getStore()
      tenant.enterWith('left over')
      return seen
    }
    const looking = flow('looking')
      .step('first', look)
      .fork({ a: look, b: (f) => f.step('b1', look).step('b2', look) })
      .join('all', async ({ a, b }, ctx) => [await ctx.output('first'), a, await ctx.output('b/b1'), b, await look()])
      .build()
    const run = await tenant.run('acme', () => rig.begin(looking))
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: Array(5).fill('acme') })
  },

  'step: whoever drives the run at the same time, each runs once': async (rig) => {
    const started: string[] = []
    const note = (name: string) => async () => void started.push(name)
    const shared = flow('shared')
      .step('one', note('one'))
      .fork({ a: (b) => b.step('a1', note('a1')).step('a2', note('a2')), b: note('b') })
      .join('two', note('two'))
      .build()
    const run = await rig.queue(shared)
    await rig.release(shared)
    const seen = await Promise.all(Array.from({ length: 10 }, () => rig.pawl.resume(run.id)))
    expect(new Set(seen.map((status) => status.status))).toEqual(new Set(['completed']))
    expect(await rig.ended(run)).toMatchObject({ status: 'completed' })
    expect(started.sort()).toEqual(['a1', 'a2', 'b', 'one', 'two'])
  },
}
