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
}
