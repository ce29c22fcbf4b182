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
}
