import { type FlowFinding, flow, type RetryOptions } from 'pawl'

const pass = async (x: unknown) => x

describe('check()', () => {
  const codesOf = (findings: readonly FlowFinding[]) => findings.map(({ code, level, path }) => [code, level, path])

  test('finds nothing in a sound flow', () => {
    const sound = flow('sound', { deadline: '1d' }).step('a', pass).delay('b', '2h').signal('c', { timeout: '2h' })
    expect(sound.build().check()).toEqual([])
  })

  test('finds what is longer than the deadline', () => {
    const late = flow('late', { deadline: '1h' })
      .step('a', pass, { timeout: '20m', retry: { maxAttempts: 3, backoff: '1s' } })
      .step('b', pass, { timeout: '61m' })
      .signal('c', { timeout: '2h' })
      .fork({ d: (b) => b.delay('e', '2h'), f: pass })
      .join('g', pass, { retry: { maxAttempts: 2, backoff: '2h' } })
      .build()
    expect(late.check()).toMatchObject([
      { code: 'attempts-beyond-deadline', level: 'warning', path: 'a', message: "it has 3 attempts, and the waits between them and their timeouts add up to as much as 1h 3s, longer than the flow's deadline of 1h: the last ones may never be made" }, // biome-ignore format: a table
      { code: 'timeout-beyond-deadline', level: 'warning', path: 'b', message: "its timeout is 1h 1m, longer than the flow's deadline of 1h: the deadline fails the run before" }, // biome-ignore format: a table
      { code: 'timeout-beyond-deadline', level: 'warning', path: 'c' },
      { code: 'attempts-beyond-deadline', level: 'warning', path: 'g' },
      { code: 'delay-beyond-deadline', level: 'warning', path: 'd/e', message: "it waits 2h, longer than the flow's deadline of 1h: no run that gets here can complete" }, // biome-ignore format: a table
    ])
  })

  test('takes what is as long as the deadline for meant', () => {
    const exact = flow('exact', { deadline: '1h' })
      .step('a', pass, { timeout: '1h' })
      .step('b', pass, { timeout: '29m', retry: { maxAttempts: 2, backoff: '2m' } })
      .signal('c', { timeout: '1h' })
      .delay('d', '1h')
      .delay('e', { until: '2100-01-01' })
    expect(exact.build().check()).toEqual([])
  })

  test('adds up the delays on the slowest way', () => {
    const slow = (longest: '30m' | '31m') =>
      flow('slow', { deadline: '1h' })
        .delay('a', '10m')
        .fork({
          b: (b) => b.delay('c', '15m').fork({ d: (e) => e.delay('f', longest), g: (e) => e.delay('h', '5m') }),
          i: (b) => b.delay('j', '40m'),
        })
        .delay('k', '5m')
        .build()
    expect(slow('30m').check()).toEqual([])
    expect(codesOf(slow('31m').check())).toEqual([['delay-beyond-deadline', 'warning', '']])
    expect(slow('31m').check()[0]?.message).toMatch(/^the delays on one way through the flow add up to 1h 1m, longer/)
  })

  test('remarks on a signal that nothing ends', () => {
    const waits = flow('waits').fork({ a: (b) => b.signal('go'), c: (b) => b.signal('on', { timeout: '1d' }) })
    expect(codesOf(waits.build().check())).toEqual([['signal-without-end', 'info', 'a/go']])
    expect(flow('ends', { deadline: '1d' }).signal('go').build().check()).toEqual([])
  })

  test.each<RetryOptions>([
    { maxAttempts: 2, backoff: 700 },
    { maxAttempts: 9, backoff: 1_000 },
    { maxAttempts: 60, backoff: 1_000, maxBackoff: '1m' },
    { maxAttempts: 1_000, backoff: 10, factor: 1 },
    { maxAttempts: 1_000, backoff: 10, factor: 1.001, maxBackoff: 20 },
    { maxAttempts: 12, backoff: 100, factor: 3, maxBackoff: 100 },
    { maxAttempts: 12, backoff: 100, factor: 3, maxBackoff: 50 },
    { maxAttempts: 4, backoff: 8, factor: 1e300 },
  ])('adds up the waits of %j', (retry) => {
    let sum = 0
    const { maxAttempts = 1, backoff = 0, factor = 2, maxBackoff = '5m' } = retry
    const most = maxBackoff === '5m' ? 300_000 : maxBackoff === '1m' ? 60_000 : Number(maxBackoff)
    for (let wait = 1; wait < maxAttempts; wait++) sum += Math.min(most, Number(backoff) * factor ** (wait - 1))
    const within = (deadline: number) => flow('f', { deadline }).step('s', pass, { retry }).build().check()
    expect(within(Math.ceil(sum))).toEqual([])
    expect(codesOf(within(Math.floor(sum) - 1))).toEqual([['attempts-beyond-deadline', 'warning', 's']])
  })

  test('is quick about billions of attempts', () => {
    const retry = { maxAttempts: 4_294_967_295, backoff: 1, factor: 1.000_000_001, maxBackoff: '1d' } as const
    const endless = flow('endless', { deadline: '1d' }).step('s', pass, { retry })
    expect(codesOf(endless.build().check())).toEqual([['attempts-beyond-deadline', 'warning', 's']])
    const atOnce = flow('f', { deadline: 1 }).step('s', pass, { retry: { ...retry, backoff: 0 } })
    expect(atOnce.build().check()).toEqual([])
  })
})
