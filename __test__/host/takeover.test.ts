import { setTimeout as sleep } from 'node:timers/promises'
import { Pawl } from 'pawl'
import { Ground, until } from './kid'
import { flowsOf } from './programs/flows.cjs'

const { quick, slow, endless, poison } = flowsOf(() => undefined)
/** Claims that run out soon. */
const SHORT = JSON.stringify({ claimTtl: '1s' })
/** How much later than its claim's end an attempt may be begun by others on a busy machine. */
const SLACK_MS = 3_000

const ground = new Ground()
let file: string
let pawl: Pawl
beforeEach(async () => {
  file = ground.database()
  pawl = await Pawl.connect(`sqlite:${file}`)
})
afterEach(async () => {
  await pawl.close()
  await ground.clear()
})
afterAll(() => ground.remove())

const worker = async (options: string = SHORT) => {
  const kid = ground.kid('worker.cjs', file, options)
  await kid.tells('ready')
  return kid
}

describe('the work of a process that was killed', () => {
  test('is taken over within claimTtl', async () => {
    const victim = await worker()
    const heir = await worker()
    // One of the two has it.
    const run = await pawl.start(slow, 600)
    await until('one has begun', () => victim.all('slow').length + heir.all('slow').length > 0)
    const [dead, alive] = victim.all('slow').length > 0 ? [victim, heir] : [heir, victim]
    const killedAt = Date.now()
    await dead.kill()
    const begun = await alive.tells('slow')
    expect(begun.data).toEqual({ runId: run.id, attempt: 2 })
    expect(begun.at - killedAt).toBeLessThan(1_000 + SLACK_MS)
    expect(await run.result()).toBe(600)
    expect(await run.history()).toContainEqual(expect.objectContaining({ kind: 'attemptLost', node: 'slow' }))
  })

  test('is taken over by a process of the same name too, which has all its slots', async () => {
    const named = JSON.stringify({ claimTtl: '1s', name: 'container-1', concurrency: 2 })
    const first = await worker(named)
    const runs = [await pawl.start(slow, 300), await pawl.start(slow, 300)]
    await first.tells('slow', 2)
    await first.kill()
    const second = await worker(named)
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual([300, 300])
    const [one, two] = [await pawl.start(slow, 400), await pawl.start(slow, 400)]
    await second.tells('slow', 4)
    expect([await one.status(), await two.status()]).toMatchObject([{ status: 'running' }, { status: 'running' }])
    await Promise.all([one.result(), two.result()])
  })

  test('is begun once, though three come for it at the same time', async () => {
    const victim = await worker(JSON.stringify({ claimTtl: '1s', concurrency: 50 }))
    const runs = await Promise.all(Array.from({ length: 50 }, () => pawl.start(slow, 500)))
    await victim.tells('slow', 50)
    await victim.kill()
    const heirs = await Promise.all([worker(), worker(), worker()])
    await Promise.all(runs.map((run) => run.result()))
    const begun = heirs.flatMap((heir) => heir.all('slow').map(({ data }) => data.runId))
    expect(begun.sort()).toEqual(runs.map(({ id }) => id).sort())
  })
})

test('a step that ends every process that runs it fails its run after a few, and harms no other', async () => {
  const run = await pawl.start(poison, undefined)
  const others = await Promise.all(Array.from({ length: 20 }, (_, at) => pawl.start(quick, at)))
  let restarts = 0
  await until(
    'the run has failed',
    async () => {
      const kid = ground.kid('worker.cjs', file, SHORT)
      restarts += 1
      await Promise.race([kid.ended, run.result().catch(() => 'failed')])
      return (await run.status()).status === 'failed'
    },
    60_000,
  )
  expect(restarts).toBeLessThan(12)
  expect(await run.status()).toMatchObject({ status: 'failed', error: { code: 'PAWL_STEP_CRASHED', node: 'poison' } })
  expect(await Promise.all(others.map((other) => other.result()))).toEqual(others.map((_, at) => at))
}, 90_000)

describe('a live worker', () => {
  test('keeps a step that takes many times its claimTtl', async () => {
    const [one, two] = [await worker(), await worker()]
    const run = await pawl.start(slow, 4_000)
    expect(await run.result()).toBe(4_000)
    expect(one.all('slow').length + two.all('slow').length).toBe(1)
  })

  test('keeps its claims while its event loop is blocked', async () => {
    const one = await worker()
    const run = await pawl.start(endless, undefined)
    await one.tells('endless')
    const two = await worker()
    one.send('block', 3_000)
    await sleep(2_500)
    expect(two.all('endless')).toEqual([])
    await run.cancel()
    expect((await one.tells('aborted')).data).toEqual({ runId: run.id, code: 'PAWL_RUN_CANCELLED' })
  })

  test('gives them up when it is blocked for longer than its budget, tells of it, and goes on', async () => {
    const one = await worker(JSON.stringify({ claimTtl: '1s', eventLoopBudget: '1s' }))
    const run = await pawl.start(endless, undefined)
    await one.tells('endless')
    const two = await worker()
    one.send('block', 6_000)
    expect((await two.tells('endless')).data).toEqual({ runId: run.id, attempt: 2 })
    expect((await one.tells('aborted')).data).toEqual({ runId: run.id, code: 'PAWL_CLAIM_LOST' })
    await one.tells('eventLoopBlocked')
    await one.tells('eventLoopFree')
    await two.kill('SIGKILL')
    const [begun] = [await one.tells('endless', 2)]
    expect(begun?.data).toEqual({ runId: run.id, attempt: 3 })
    one.send('health')
    expect((await one.tells('health')).data).toMatchObject({ state: 'ok', running: [{ runId: run.id, attempt: 3 }] })
  })
})
