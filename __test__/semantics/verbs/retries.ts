import { flow, NonRetryableError, RetryAfterError } from 'pawl'
import { until } from '../rig'
import { quick, type Scenarios } from './scenario'

export const retries: Scenarios = {
  'retry: attempts are repeated until one succeeds, under one idempotency key': async (rig) => {
    const keys: string[] = []
    const shaky = flow('shaky')
      .step(
        'shaky',
        async (_, ctx) => {
          keys.push(ctx.idempotencyKey)
          if (ctx.attempt < 3) throw new Error(`attempt ${ctx.attempt}`)
          return ctx.attempt
        },
        { retry: quick },
      )
      .build()
    const run = await rig.begin(shaky)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 3 })
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    const failures = (await run.history()).filter((entry) => entry.kind === 'attemptFailed')
    expect(failures.map((entry) => entry.message)).toEqual(['attempt 1', 'attempt 2'])
  },

  'retry: used-up attempts end the run as failed, with the last error': async (rig) => {
    let started = 0
    const hopeless = flow('hopeless')
      .step(
        'hopeless',
        async () => {
          throw Object.assign(new RangeError(`no ${++started}`), { code: 'E_NO' })
        },
        { retry: quick },
      )
      .step('never', async () => started++)
      .build()
    const run = await rig.begin(hopeless)
    expect(await rig.ended(run)).toMatchObject({
      status: 'failed',
      error: {
        code: 'PAWL_STEP_FAILED',
        node: 'hopeless',
        attempt: 3,
        cause: { name: 'RangeError', message: 'no 3', code: 'E_NO' },
      },
    })
    expect(started).toBe(3)
    await expect(run.result()).rejects.toMatchObject({ code: 'PAWL_RUN_FAILED', cause: { message: 'no 3' } })
  },

  'retry: none by default': async (rig) => {
    let started = 0
    const once = flow('once')
      .step('once', async () => {
        started++
        throw new Error('no')
      })
      .build()
    expect(await rig.ended(await rig.begin(once))).toMatchObject({ status: 'failed' })
    expect(started).toBe(1)
  },

  'retry: NonRetryableError ends it at once': async (rig) => {
    let started = 0
    const final = flow('final')
      .step(
        'final',
        async () => {
          started++
          throw new NonRetryableError('expired')
        },
        { retry: quick },
      )
      .build()
    expect(await rig.ended(await rig.begin(final))).toMatchObject({
      status: 'failed',
      error: { cause: { message: 'expired' } },
    })
    expect(started).toBe(1)
  },

  'retry: RetryAfterError sets the wait': async (rig) => {
    const times: number[] = []
    const polite = flow('polite')
      .step(
        'polite',
        async (_, ctx) => {
          times.push(Date.now())
          if (ctx.attempt === 1) throw new RetryAfterError('busy', 60)
        },
        { retry: { maxAttempts: 2, backoff: '1h' } },
      )
      .build()
    expect(await rig.ended(await rig.begin(polite))).toMatchObject({ status: 'completed' })
    expect(Number(times[1]) - Number(times[0])).toBeGreaterThanOrEqual(60)
  },

  'retry: between two attempts the run is running, and says which comes next and when': async (rig) => {
    const shaky = flow('much later')
      .step('shaky', () => Promise.reject(new Error('no')), { retry: { maxAttempts: 2, backoff: '1h', jitter: false } })
      .build()
    const run = await rig.begin(shaky)
    await until('the first attempt failed', async () =>
      (await run.history()).some((entry) => entry.kind === 'attemptFailed'),
    )
    const status = await run.status()
    expect(status).toMatchObject({ status: 'running', attempt: { node: 'shaky', number: 2, failures: 1 } })
    const nextAt = status.status === 'running' && status.attempt?.nextAt
    expect(Number(nextAt) - Date.now()).toBeGreaterThan(3_590_000)
    await run.cancel()
    await rig.ended(run)
  },

  'retry: a run that fails for good leaves others alone': async (rig) => {
    const picky = flow<number>('picky')
      .step('picky', async (n) => {
        if (n === 13) throw new Error('unlucky')
        return n
      })
      .build()
    const runs = await Promise.all([12, 13, 14].map((n) => rig.begin(picky, n)))
    const ends = await Promise.all(runs.map((run) => rig.ended(run)))
    expect(ends.map((end) => end.status)).toEqual(['completed', 'failed', 'completed'])
    expect(await rig.ended(await rig.begin(picky, 15))).toMatchObject({ status: 'completed', output: 15 })
  },

  'retry: a join function is tried again without its branches': async (rig) => {
    let branches = 0
    const joining = flow('joining')
      .fork({ a: async () => ++branches, b: async () => ++branches })
      .join(
        'sum',
        async ({ a, b }, ctx) => {
          if (ctx.attempt < 3) throw new Error('no')
          return a + b
        },
        { retry: quick },
      )
      .build()
    expect(await rig.ended(await rig.begin(joining))).toMatchObject({ status: 'completed', output: 3 })
    expect(branches).toBe(2)
  },
}
