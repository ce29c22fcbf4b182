import { flow } from 'pawl'
import { gate, until } from '../rig'
import { aborted, add, type Scenarios } from './scenario'

export const pause: Scenarios = {
  'pause: what runs keeps its result, nothing new starts, resume goes on': async (rig) => {
    const begun = gate()
    const { open, opened } = gate()
    const started: string[] = []
    const two = flow('two')
      .step('first', async () => {
        started.push('first')
        begun.open()
        await opened
        return 1
      })
      .step('second', async (one) => {
        started.push('second')
        return one + 1
      })
      .build()
    const run = await rig.begin(two)
    await begun.opened
    await run.pause({ reason: 'audit', by: 'boss' })
    open()
    await until('the result is kept', async () => (await run.history()).some((entry) => entry.node === 'first'))
    expect(await run.status()).toMatchObject({ status: 'paused', reason: 'audit', by: 'boss' })
    expect(started).toEqual(['first'])
    await run.resume()
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 2 })
    expect(started).toEqual(['first', 'second'])
  },

  'pause: does not swallow the completion by a last step in flight': async (rig) => {
    const begun = gate()
    const { open, opened } = gate()
    const run = await rig.begin(
      flow('last one')
        .step('only', async () => {
          begun.open()
          await opened
          return 'done'
        })
        .build(),
    )
    await begun.opened
    await run.pause()
    open()
    await until('it completed', async () => (await run.status()).status === 'completed')
    expect(await run.result()).toBe('done')
  },

  'pause: a delay that ends meanwhile goes on after the resume': async (rig) => {
    const run = await rig.begin(flow<number>('paused nap').delay('nap', 60).step('one', add(1)).build(), 1)
    await rig.settled(run)
    await run.pause().catch(() => undefined) // The nap may be over on a slow machine; then there is nothing to see here.
    const status = await run.status()
    if (status.status === 'paused') {
      await until('the nap is over', async () => Date.now() > status.createdAt.getTime() + 150)
      expect(await run.status()).toMatchObject({ status: 'paused' })
      await run.resume()
    }
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 2 })
  },

  'pause: the mail goes on; a signal sent meanwhile is taken after the resume': async (rig) => {
    const run = await rig.begin(flow('mail').signal<string, 'ok'>('ok').build())
    await rig.settled(run)
    await run.pause()
    await run.signal('ok', 'in time')
    expect(await run.status()).toMatchObject({ status: 'paused' })
    await run.resume()
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 'in time' })
  },

  'pause: twice, or of a run that has ended, is refused': async (rig) => {
    const run = await rig.begin(flow('once paused').signal('ok').build())
    await rig.settled(run)
    await run.pause()
    await expect(run.pause()).rejects.toMatchObject({ code: 'PAWL_RUN_PAUSED' })
    await run.cancel()
    await expect(run.pause()).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
    await expect(run.resume()).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
    await expect(run.cancel()).rejects.toMatchObject({ code: 'PAWL_RUN_ENDED' })
  },

  'pause: of a run that nobody has begun, nothing starts until the resume': async (rig) => {
    let started = 0
    const idle = flow('idle').step('count', async () => ++started).build() // biome-ignore format: one line
    const run = await rig.queue(idle)
    await run.pause({ reason: 'not yet', by: 'ops' })
    await rig.release(idle)
    expect(await rig.settled(run)).toMatchObject({ status: 'paused', reason: 'not yet', by: 'ops' })
    await rig.ended(await rig.begin(idle))
    expect(started).toBe(1)
    await run.resume({ by: 'ops' })
    expect(['running', 'completed']).toContain((await run.status()).status)
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 2 })
    expect((await run.history()).map((entry) => entry.kind)).toEqual([
      'started',
      'paused',
      'resumed',
      'nodeCompleted',
      'completed',
    ])
  },

  'pause: in front of a wait, the run stays paused, and waits after the resume': async (rig) => {
    for (const wait of ['delay', 'signal'] as const) {
      const begun = gate()
      const { open, opened } = gate()
      const start = flow(`in front of a ${wait}`).step('step', async () => {
        begun.open()
        await opened
      })
      const waits = wait === 'delay' ? start.delay('wait', '1h') : start.signal('wait')
      const run = await rig.begin(waits.build())
      await begun.opened
      await run.pause()
      open()
      await until('the result is kept', async () => (await run.history()).some((entry) => entry.node === 'step'))
      expect(await run.status()).toMatchObject({ status: 'paused' })
      await run.resume()
      expect(await rig.settled(run)).toMatchObject({ status: wait === 'delay' ? 'waiting' : 'awaitingSignal' })
    }
  },

  'pause: in branches too, what runs keeps its result and nothing new starts': async (rig) => {
    const begun = gate()
    const { open, opened } = gate()
    const started: string[] = []
    const wide = flow('paused branches')
      .fork({
        a: (b) =>
          b
            .step('a1', async () => {
              begun.open()
              await opened
            })
            .step('a2', async () => void started.push('a2')),
        b: (b) => b.signal('go').step('b2', async () => void started.push('b2')),
      })
      .join('all', async () => void started.push('all'))
      .build()
    const run = await rig.begin(wide)
    await begun.opened
    await run.pause()
    await run.signal('go')
    open()
    await until('the result is kept', async () => (await run.history()).some((entry) => entry.node === 'a/a1'))
    expect(await run.status()).toMatchObject({ status: 'paused' })
    expect(started).toEqual([])
    await run.resume()
    expect(await rig.ended(run)).toMatchObject({ status: 'completed' })
    expect(started.slice(0, 2).sort()).toEqual(['a2', 'b2'])
    expect(started.slice(2)).toEqual(['all'])
  },

  'pause: holds the next attempt of a step that failed': async (rig) => {
    let fail = true
    let started = 0
    const shaky = flow<boolean>('shaky pause')
      .step(
        'shaky',
        async (isProbe) => {
          if (isProbe) return
          started++
          if (fail) throw new Error('no')
        },
        { retry: { maxAttempts: 2, backoff: 300, jitter: false } },
      )
      .build()
    const run = await rig.begin(shaky, false)
    await until('the first attempt failed', async () =>
      (await run.history()).some((entry) => entry.kind === 'attemptFailed'),
    )
    await run.pause()
    fail = false
    const history = await run.history()
    const failure = history.find((entry) => entry.kind === 'attemptFailed')
    const retryAt = (failure?.detail as { retryAt: number } | undefined)?.retryAt ?? Number.NaN
    const pausedAt = Number(history.find((entry) => entry.kind === 'paused')?.at)
    await until('the next attempt would be due', () => Date.now() > retryAt + 20)
    await rig.ended(await rig.begin(shaky, true))
    // On a machine that was too slow to pause in time there is nothing to see here.
    if (pausedAt < retryAt) {
      expect(started).toBe(1)
      expect(await run.status()).toMatchObject({ status: 'paused' })
    }
    await run.resume().catch((error) => expect(error).toMatchObject({ code: 'PAWL_RUN_ENDED' }))
    expect(await rig.ended(run)).toMatchObject({ status: 'completed' })
    expect(started).toBe(2)
  },

  'pause: an attempt that gives up because of it has not failed': async (rig) => {
    const begun = gate()
    const attempts: number[] = []
    const gives = flow('gives up')
      .step('gives up', async (_, ctx) => {
        attempts.push(ctx.attempt)
        begun.open()
        if (attempts.length === 1) throw await aborted(ctx.signal)
        return 'in the end'
      })
      .build()
    const run = await rig.begin(gives)
    await begun.opened
    await run.pause()
    expect(await rig.settled(run)).toMatchObject({ status: 'paused' })
    await run.resume()
    expect(await rig.ended(run)).toMatchObject({ status: 'completed', output: 'in the end' })
    expect(attempts).toHaveLength(2)
    expect((await run.history()).map((entry) => entry.kind)).not.toContain('attemptFailed')
  },
}
