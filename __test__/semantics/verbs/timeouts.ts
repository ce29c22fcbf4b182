import { flow } from 'pawl'
import { until } from '../rig'
import { aborted, quick, type Scenarios } from './scenario'

export const timeouts: Scenarios = {
  'timeout: a late attempt is aborted, fails the run and names the step': async (rig) => {
    const reasons: string[] = []
    const late = flow('late')
      .step(
        'late',
        async (_, ctx) => {
          reasons.push((await aborted(ctx.signal)).code)
          return 'too late'
        },
        { timeout: 20 },
      )
      .build()
    const status = await rig.ended(await rig.begin(late))
    expect(status).toMatchObject({ status: 'failed', error: { code: 'PAWL_STEP_TIMEOUT', node: 'late' } })
    expect(status.status === 'failed' && status.error.message).toMatch(/late.*timed out/)
    await until('the function was told', () => reasons.length > 0)
    expect(reasons).toEqual(['PAWL_STEP_TIMEOUT'])
  },

  'timeout: counts as a failed attempt, and the next may succeed': async (rig) => {
    const second = flow('second')
      .step(
        'second',
        async (_, ctx) => {
          if (ctx.attempt === 1) await aborted(ctx.signal)
          return ctx.attempt
        },
        { timeout: 30, retry: quick },
      )
      .build()
    expect(await rig.ended(await rig.begin(second))).toMatchObject({ status: 'completed', output: 2 })
  },

  'deadline: a run that is too late fails, whatever it does': async (rig) => {
    const slow = flow('slow', { deadline: 60 })
      .step('slow', async (_, ctx) => {
        await aborted(ctx.signal)
      })
      .build()
    const run = await rig.begin(slow)
    expect(await rig.ended(run)).toMatchObject({ status: 'failed', error: { code: 'PAWL_RUN_DEADLINE', node: null } })
  },

  'timeout: a step in time completes; only steps with a timeout have a deadline': async (rig) => {
    const deadlines: unknown[] = []
    const punctual = flow('punctual')
      .step('timed', async (_, ctx) => void deadlines.push(Number(ctx.deadline) - Date.now()), { timeout: '1m' })
      .step('free', async (_, ctx) => void deadlines.push(ctx.deadline))
      .build()
    expect(await rig.ended(await rig.begin(punctual))).toMatchObject({ status: 'completed' })
    expect(deadlines).toEqual([expect.any(Number), null])
    expect(deadlines[0]).toBeGreaterThan(30_000)
    expect(deadlines[0]).toBeLessThanOrEqual(60_000)
  },

  'timeout: every attempt has its whole time': async (rig) => {
    const deadlines: number[] = []
    const again = flow('again')
      .step(
        'again',
        async (_, ctx) => {
          deadlines.push(Number(ctx.deadline))
          if (ctx.attempt < 3) await aborted(ctx.signal)
        },
        { timeout: 50, retry: quick },
      )
      .build()
    expect(await rig.ended(await rig.begin(again))).toMatchObject({ status: 'completed' })
    const [first, second, third] = deadlines as [number, number, number]
    expect(second - first).toBeGreaterThanOrEqual(50)
    expect(third - second).toBeGreaterThanOrEqual(50)
  },

  'timeout: a step in a branch that never settles is given up, whatever its siblings do': async (rig) => {
    const stuck = flow('stuck')
      .fork({
        stuck: (b) => b.step('hangs', () => new Promise<never>(() => {}), { timeout: 30 }),
        hour: (b) => b.delay('nap', '1h'),
        busy: (b) => b.step('busy', async (_, ctx) => void (await aborted(ctx.signal))),
      })
      .build()
    expect(await rig.ended(await rig.begin(stuck))).toMatchObject({
      status: 'failed',
      error: { code: 'PAWL_STEP_TIMEOUT', node: 'stuck/hangs' },
    })
  },

  'timeout: a run that is given up leaves others alone': async (rig) => {
    const some = flow<boolean>('some hang')
      .step('maybe', (hangs) => (hangs ? new Promise<never>(() => {}) : 'fine'), { timeout: 500 })
      .build()
    const runs = await Promise.all([true, false, true, false].map((hangs) => rig.begin(some, hangs)))
    const ends = await Promise.all(runs.map((run) => rig.ended(run)))
    expect(ends.map((end) => end.status)).toEqual(['failed', 'completed', 'failed', 'completed'])
    expect(await rig.ended(await rig.begin(some, false))).toMatchObject({ status: 'completed' })
  },
}
