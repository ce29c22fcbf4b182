import { type Kid, Kid as Process, Stage, until } from './stage'

/** How far the run gets before the blow: the last thing that is stored, and what is under way. */
const BOUNDARIES: Record<string, (stage: Stage, kid: Kid) => Promise<void>> = {
  'the start is stored, a is under way': (_, kid) => kid.entered('a'),
  'a is stored, b is under way, c sleeps': async (stage, kid) => {
    kid.go('a')
    await stage.hasRecorded('a')
    await kid.entered('b')
  },
  'c is stored, b is under way': async (stage, kid) => {
    kid.go('a')
    await stage.hasRecorded('right/c')
  },
  'b is stored': async (stage, kid) => {
    kid.go('a')
    kid.go('b')
    await stage.hasRecorded('left/b')
  },
  'both branches are stored, d is under way': async (_, kid) => {
    kid.go('a')
    kid.go('b')
    await kid.entered('d')
  },
  'd is stored, e waits': async (stage, kid) => {
    for (const name of ['a', 'b', 'd']) kid.go(name)
    await until('it waits for e', async () => (await stage.run.status()).status === 'awaitingSignal')
  },
  'the signal is stored, e has not seen it': async (stage, kid) => {
    for (const name of ['a', 'b', 'd']) kid.go(name)
    await until('it waits for e', async () => (await stage.run.status()).status === 'awaitingSignal')
    await kid.freeze()
    await stage.run.signal('e', 'word')
  },
  'e is stored, f is under way': async (stage, kid) => {
    for (const name of ['a', 'b', 'd']) kid.go(name)
    await stage.run.signal('e', 'word')
    await stage.hasRecorded('e')
    await kid.entered('f')
  },
  'f and the end are stored': async (stage, kid) => {
    for (const name of ['a', 'b', 'd', 'f']) kid.go(name)
    await stage.run.signal('e', 'word')
    await until('it is completed', async () => (await stage.run.status()).status === 'completed')
  },
}

const RECORDED_IN_THE_END = ['a', 'd', 'e', 'f', 'left/b', 'right/c']

describe.each(['Worker', 'pawl.resume'])('six nodes, driven by %s', (way) => {
  describe.each(Object.entries(BOUNDARIES))('%s', (_, reach) => {
    let stage: Stage
    beforeEach(async () => {
      stage = await Stage.open()
    })
    afterEach(() => stage.close())

    test('killed there, another process ends the run, and nothing that was stored runs again', async () => {
      const first = await Process.start(stage, way, 'shut')
      await reach(stage, first)
      await first.kill()
      const stored = await stage.recorded()

      const second = await Process.start(stage, way, 'open')
      await endsWell(stage)
      onlyRanAgainIfNotStored(stage, second, stored)
    })

    test('frozen there, another process takes over; thawed, the first changes nothing', async () => {
      const first = await Process.start(stage, way, 'shut')
      await reach(stage, first)
      await first.freeze()
      const stored = await stage.recorded()

      const second = await Process.start(stage, way, 'open')
      const output = await endsWell(stage)
      const history = await stage.run.history()
      onlyRanAgainIfNotStored(stage, second, stored)

      first.thaw()
      for (const name of ['a', 'b', 'd', 'f']) first.go(name)
      const begun = stage.begun()
      expect(await first.stop()).toBe(0)
      expect(await stage.run.result()).toEqual(output)
      expect(await stage.run.history()).toEqual(history)
      expect(stage.begun()).toEqual(begun)
    })
  })
})

/** Lets the run end, and checks all that must be true of it whatever happened on the way. */
async function endsWell(stage: Stage): Promise<unknown> {
  // Where the boundary sent the word already, the run may have ended with it.
  await stage.run
    .signal('e', 'word', { key: 'once' })
    .catch((error) => expect(error).toMatchObject({ code: 'PAWL_RUN_ENDED' }))
  const output = await stage.run.result({ timeout: '15s' })
  expect(output).toEqual({ word: 'word', by: expect.any(Number) })
  expect((await stage.recorded()).sort()).toEqual(RECORDED_IN_THE_END)
  return output
}

/** What was under way runs again, with the next attempt number; what was stored does not. */
function onlyRanAgainIfNotStored(stage: Stage, second: Kid, stored: (string | null)[]): void {
  const names = stored.map((path) => path?.split('/').pop())
  for (const line of stage.begun()) {
    if (line.pid === second.pid) expect(names).not.toContain(line.name)
  }
  for (const name of ['a', 'b', 'd', 'f']) {
    const attempts = stage
      .begun()
      .filter((line) => line.name === name)
      .map((line) => line.attempt)
    expect(attempts).toEqual([1, 2].slice(0, attempts.length))
  }
}
