import { Ground } from './kid'

const ground = new Ground()
afterAll(() => ground.remove())

/** How long after its last line a program may live on a busy machine. */
const SOON_MS = 5_000

const play = (way: string) => ground.kid('hosts.cjs', way, ground.database())

async function ended(way: string) {
  const before = Date.now()
  const end = await play(way).ended
  return { ...end, soon: Date.now() - before < SOON_MS || `after ${Date.now() - before} ms` }
}

describe('a program ends by itself, with nothing to say, after', () => {
  test.each([
    ['import only', ''],
    ['connect only', ''],
    ['connect and close', ''],
    ['a failed connect', 'PAWL_STORE_UNAVAILABLE\n'],
    ['a run', '5\n'],
    ['a failing run', 'failed\n'],
    ['start and stop', ''],
    ['stop with a hung step', '20\n'],
    ['close under a busy worker', ''],
    ['a thousand steps listen to ctx.signal', '1000\n'],
    ['calls that are not awaited fail quietly where they should', 'rejected,rejected,rejected,fulfilled,fulfilled\n'],
  ])('%s', async (way, stdout) => {
    expect(await ended(way)).toEqual({ code: 0, signal: null, stdout, stderr: '', soon: true })
  })
})

test('pawl listens to no signal of the system, and to no other event of the process', async () => {
  expect(await ended('no handler is added')).toMatchObject({ code: 0, stdout: 'true\ntrue\n', stderr: '' })
})

describe('a program with twenty steps under way ends as it would without them', () => {
  test('with its own exit code', async () => {
    expect(await ended('process.exit(7)')).toMatchObject({ code: 7, signal: null, stderr: '', soon: true })
  })

  test.each(['an uncaught exception', 'a rejection nobody handles'])('by %s', async (way) => {
    const end = await ended(way)
    expect(end).toMatchObject({ code: 1, signal: null, soon: true })
    expect(end.stderr).toMatch(way.startsWith('an uncaught') ? /of the program/ : /PAWL_RUN_NOT_FOUND/)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('by %s', async (signal) => {
    const kid = play('waits for a signal of the system')
    await kid.says('busy')
    expect(await kid.kill(signal)).toMatchObject({ code: null, signal, stderr: '' })
  })

  test('while it starts', async () => {
    expect(await ended('is signalled while it starts')).toMatchObject({ code: null, signal: 'SIGINT', soon: true })
  })
})
