import { Pawl } from 'pawl'
import { Ground, type Kid, median, until } from './kid'
import { flowsOf } from './programs/flows.cjs'

const ROUND_COUNT = 30
const { quick, asking, endless } = flowsOf(() => undefined)

describe('what one process does on a SQLite file', () => {
  const ground = new Ground()
  let pawl: Pawl
  let kid: Kid
  beforeAll(async () => {
    const file = ground.database()
    pawl = await Pawl.connect(`sqlite:${file}`)
    kid = ground.kid('worker.cjs', file)
    await kid.tells('ready')
  })
  afterAll(async () => {
    await pawl.close()
    await ground.remove()
  })

  /** From the moment before `act` is called to the moment the other process has told of it. */
  async function latencies(what: string, act: (round: number) => Promise<unknown>): Promise<number[]> {
    const all: number[] = []
    for (let round = 1; round <= ROUND_COUNT; round++) {
      const before = Date.now()
      await act(round)
      all.push((await kid.tells(what, round)).at - before)
    }
    return all
  }

  test('wakes a worker of another process within 50 ms: a start', async () => {
    const all = await latencies('quick', () => pawl.start(quick, 1))
    expect(median(all)).toBeLessThan(50)
  })

  test('wakes a worker of another process within 50 ms: a signal', async () => {
    const runs = await Promise.all(Array.from({ length: ROUND_COUNT }, () => pawl.start(asking, undefined)))
    const all = await latencies('went', (round) => (runs[round - 1] as (typeof runs)[0]).signal('go', round))
    expect(median(all)).toBeLessThan(50)
  })

  test('is told to who waits for a result here, when it ends there', async () => {
    const all: number[] = []
    for (let round = 0; round < ROUND_COUNT; round++) {
      const run = await pawl.start(quick, round)
      const before = kid.all('quick').length
      expect(await run.result()).toBe(round)
      await until('the other process has told of it', () => kid.all('quick').length >= before)
      all.push(Date.now() - (kid.all('quick').at(-1)?.at ?? 0))
    }
    expect(median(all)).toBeLessThan(100)
  })

  test.each([
    ['cancel', 'PAWL_RUN_CANCELLED', 'cancelled'],
    ['pause', 'PAWL_RUN_PAUSED', 'paused'],
  ] as const)('aborts what runs in another process at once: a %s', async (verb, code, status) => {
    const all: number[] = []
    for (let round = 0; round < 10; round++) {
      const begun = kid.all('endless').length
      const aborted = kid.all('aborted').length
      const run = await pawl.start(endless, undefined)
      await kid.tells('endless', begun + 1)
      const before = Date.now()
      await run[verb]({ reason: 'enough' })
      const { at, data } = await kid.tells('aborted', aborted + 1)
      expect(data).toEqual({ runId: run.id, code })
      expect(await run.status()).toMatchObject({ status, reason: 'enough' })
      all.push(at - before)
    }
    expect(median(all)).toBeLessThan(100)
  })
})
