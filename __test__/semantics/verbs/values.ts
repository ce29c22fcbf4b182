import { flow } from 'pawl'
import { quick, type Scenarios } from './scenario'

export const values: Scenarios = {
  'values: come back as they went in, through every node': async (rig) => {
    const value = {
      date: new Date(86_400_000),
      map: new Map<unknown, unknown>([[1, { a: new Set([1n, -0]) }]]),
      nothing: undefined,
      not: Number.NaN,
      bytes: Buffer.from([0, 255]),
      floats: new Float32Array([1.5]),
      url: new URL('https://example.org/a?b'),
      pattern: /a+/gi,
      $t: 'mine',
    }
    const pass = flow<typeof value>('pass')
      .step('step', async (v) => v)
      .delay('delay', 1)
      .fork({ a: async (v: typeof value) => v, b: async () => 1 })
      .step('unpack', async ({ a }) => a)
      .signal<typeof value, 'signal'>('signal')
      .build()
    const run = await rig.begin(pass, value)
    await run.signal('signal', value)
    const status = await rig.ended(run)
    expect(status.status === 'completed' && status.output).toEqual(value)
  },

  'values: one that cannot be stored fails the step, once, naming the path': async (rig) => {
    let started = 0
    const unstorable = flow('unstorable')
      .step(
        'bad',
        async () => {
          started++
          return { list: [{ cb: () => 1 }] }
        },
        { retry: quick },
      )
      .build()
    const status = await rig.ended(await rig.begin(unstorable))
    expect(status).toMatchObject({ status: 'failed', error: { code: 'PAWL_SERIALIZATION' } })
    expect(status.status === 'failed' && status.error.message).toContain('list[0].cb')
    expect(started).toBe(1)
  },
}
