import { flow } from 'pawl'
import { gate, until } from '../rig'
import type { Scenarios } from './scenario'

export const signals: Scenarios = {
  'signal: parks until it comes; the payload goes on': async (rig) => {
    const ask = flow('ask')
      .signal<{ by: string }, 'ok'>('ok')
      .step('thank', async ({ by }) => `thanks ${by}`)
      .build()
    const run = await rig.begin(ask)
    expect(await rig.settled(run)).toMatchObject({
      status: 'awaitingSignal',
      node: 'ok',
      signal: 'ok',
      timeoutAt: null,
    })
    await run.signal('ok', { by: 'ops' })
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 'thanks ops' })
  },

  'signal: one that came before is taken when the node is reached': async (rig) => {
    const { open, opened } = gate()
    const early = flow('early')
      .step('slow', async () => opened)
      .signal<number, 'ok'>('ok')
      .build()
    const run = await rig.begin(early)
    await run.signal('ok', 42)
    open()
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 42 })
  },

  'signal: several of one name are taken in order': async (rig) => {
    const three = flow('three')
      .signal<string, 'a'>('a', { signal: 'item' })
      .signal<string, 'b'>('b', { signal: 'item' })
      .signal<string, 'c'>('c', { signal: 'item' })
      .step('all', async (c, ctx) => [await ctx.output('a'), await ctx.output('b'), c])
      .build()
    const run = await rig.begin(three)
    for (const item of ['1', '2', '3']) await run.signal('item', item)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: ['1', '2', '3'] })
  },

  'signal: a repeated key is dropped': async (rig) => {
    const keyed = flow('keyed')
      .signal<number, 'first'>('first', { signal: 'paid' })
      .signal<number, 'second'>('second', { signal: 'paid', timeout: 30, onTimeout: 'continue' })
      .build()
    const run = await rig.begin(keyed)
    expect(await run.signal('paid', 1, { key: 'evt-1' })).toEqual({ duplicate: false })
    expect(await run.signal('paid', 1, { key: 'evt-1' })).toEqual({ duplicate: true })
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: { timedOut: true } })
  },

  'signal: a timeout fails the run': async (rig) => {
    const strict = flow('strict').signal('ok', { timeout: 20 }).build()
    expect(await rig.ended(await rig.begin(strict))).toMatchObject({
      status: 'failed',
      error: { code: 'PAWL_SIGNAL_TIMEOUT', node: 'ok' },
    })
  },

  'signal: a timeout with onTimeout continue is a typed output': async (rig) => {
    const lax = flow('lax')
      .signal<string, 'ok'>('ok', { timeout: 20, onTimeout: 'continue' })
      .step('see', async (seen) => seen)
      .build()
    expect(await rig.ended(await rig.begin(lax))).toMatchObject({ status: 'completed', output: { timedOut: true } })
  },

  'signal: at the end of a branch gives the message, not what came into the branch': async (rig) => {
    const branch = flow<string>('branch')
      .fork({ asks: (b) => b.signal<string, 'go'>('go'), passes: (b) => b.delay('nap', 1) })
      .build()
    const run = await rig.begin(branch, 'input')
    await until('only the signal is left', async () => (await rig.settled(run)).status === 'awaitingSignal')
    expect(await rig.settled(run)).toMatchObject({ node: 'asks/go', signal: 'go' })
    await run.signal('go', 'message')
    expect(await rig.ended(run)).toMatchObject({
      status: 'completed',
      output: { asks: 'message', passes: 'input' },
    })
  },

  'signal: one that the flow never awaits is refused, with those that it does': async (rig) => {
    const run = await rig.begin(flow('picky mail').signal('approval').signal('payment').build())
    await rig.settled(run)
    await expect(run.signal('aproval')).rejects.toMatchObject({
      code: 'PAWL_ARGUMENT',
      message: expect.stringMatching(/aproval[\s\S]*approval[\s\S]*payment/),
    })
  },

  'signal: one message moves one of two branches that await it': async (rig) => {
    const twins = flow('twins')
      .fork({
        a: (b) => b.signal<number, 'a'>('a', { signal: 'go' }),
        b: (b) => b.signal<number, 'b'>('b', { signal: 'go' }),
      })
      .join('sorted', ({ a, b }) => [a, b].sort())
      .build()
    const run = await rig.begin(twins)
    await run.signal('go', 1)
    await until('one branch has it', async () => {
      await rig.settled(run)
      return (await run.history()).some((entry) => entry.kind === 'nodeCompleted')
    })
    expect(await rig.settled(run)).toMatchObject({ status: 'awaitingSignal' })
    await run.signal('go', 2)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: [1, 2] })
  },
}
