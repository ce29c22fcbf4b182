import { type FlowProblem, flow, PawlError, task } from 'pawl'

const pass = async (x: unknown) => x
const step = task('charge', pass)

/** A builder for calls that the types forbid, or cannot follow. */
type Loose = any
const loose = (name: string): Loose => flow(name)

function thrownBy(build: () => unknown): PawlError {
  try {
    build()
  } catch (error) {
    if (PawlError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const problemsOf = (build: () => unknown): readonly FlowProblem[] => thrownBy(build).problems ?? []

describe('a builder', () => {
  test('is immutable: both of two continuations can be built', () => {
    const start = flow('checkout').step(step)
    const [a, b] = [start.step('a', pass).build(), start.step('b', pass).build()]
    expect(a.hash).not.toBe(b.hash)
    expect(start.step('a', pass).build().hash).toBe(a.hash)
    expect(Object.isFrozen(start) && Object.isFrozen(a)).toBe(true)
  })

  test('is no thenable, so it can be awaited and returned from async functions', async () => {
    const builder = flow('checkout').step(step)
    expect('then' in builder).toBe(false)
    expect(await builder).toBe(builder)
    expect('then' in builder.build()).toBe(false)
  })

  test('gives flows with name and hash, and the same hash for the same shape', () => {
    const checkout = flow('checkout').step(step).build()
    expect(checkout).toMatchObject({ name: 'checkout', hash: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const tuned = task('charge', async () => 1, { timeout: '5s', retry: { maxAttempts: 9 } })
    expect(flow('checkout', { deadline: '1d' }).step(tuned).build().hash).toBe(checkout.hash)
    expect(flow('checkout').step('charged', pass).build().hash).not.toBe(checkout.hash)
  })

  test('names a fork without a join after its branches', () => {
    const branches = { email: pass, ship: pass }
    const unnamed = flow('f').fork(branches).build()
    expect(unnamed.hash).toBe(flow('f').fork(branches).join('email+ship').build().hash)
    expect(flow('f').fork({ only: pass }).build().hash).toMatch(/./)
  })

  test('takes a task, an async function, a function with a context and a callback as branches', () => {
    const shapes = {
      task: step,
      async: pass,
      context: (x: unknown, _ctx: unknown) => Promise.resolve(x),
    }
    const checkout = flow('f')
      .fork({ ...shapes, built: (b) => b.step(step).delay('dock', '2h').step('pack', pass) })
      .build()
    expect(checkout.name).toBe('f')
  })
})

describe('problems', () => {
  test('are all reported at once, with their paths', () => {
    const problems = problemsOf(() =>
      flow('')
        .step('a', pass)
        .fork({ ship: (b) => b.step('pack', pass).step('pack', pass), none: (b) => b })
        .join('joined')
        .step('a', pass)
        .step('x/y', pass)
        .signal('go', { onTimeout: 'continue' } as never)
        .build(),
    )
    const paths = problems.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['', 'ship/pack', 'none', 'a', 'x/y', 'go']))
    expect(paths.length).toBe(6)
  })

  test('stand in the message too, which stays readable however many there are', () => {
    let builder = loose('long')
    for (let at = 0; at < 1_000; at++) builder = builder.step('same', pass)
    const error = thrownBy(() => builder.build())
    expect(error).toMatchObject({ code: 'PAWL_FLOW_INVALID' })
    expect(error.problems?.length).toBe(999)
    expect(error.message).toMatch(/999 problems:\n {2}- same: .*used twice[\s\S]*… and 979 more$/)
  })

  test.each(['', ' ', ' a', 'a ', 'a/b', 'a[0]', '$a', 'a\0', 'a\n', '\ud83d', 'x'.repeat(201)])(
    'a node, branch, signal or flow named %p',
    (name) => {
      for (const build of [
        () => flow(name).step('a', pass),
        () => flow('f').step(name, pass),
        () => flow('f').fork({ [name]: pass }),
        () => flow('f').signal('s', { signal: name }),
      ]) {
        expect(problemsOf(() => build().build()).length).toBeGreaterThan(0)
      }
    },
  )

  test.each(['constructor', '__proto__', 'then', 'toString', '😀', 'é', "it's 100%", 'x'.repeat(200)])(
    'none with a node and a branch named %p',
    (name) => {
      const branches = Object.fromEntries([[name, pass]])
      const built = flow(name).step(name, pass).fork({ other: (b) => b.fork(branches).join('in') }).build() // biome-ignore format: one line
      expect(built.name).toBe(name)
    },
  )

  test.each<[string, () => unknown, string, RegExp]>([
    ['a flow without nodes', () => flow('f').build(), 'PAWL_FLOW_INVALID', /no nodes/],
    ['a fork without branches', () => flow('f').fork({}).build(), 'PAWL_FLOW_INVALID', /no branches/],
    ['a callback that returns nothing', () => loose('f').fork({ a: () => undefined }), 'PAWL_FLOW_INVALID', /"a".*returned undefined.*task\("a", fn\)/],
    ['a callback that returns a promise', () => loose('f').fork({ a: () => Promise.reject(new Error('x')) }), 'PAWL_FLOW_INVALID', /returned a Promise/],
    ['a callback that returns another builder', () => loose('f').fork({ a: () => flow('g').step(step) }), 'PAWL_FLOW_INVALID', /not the builder it was given/],
    ['a branch that is no branch', () => loose('f').fork({ a: 5 }), 'PAWL_FLOW_INVALID', /"a".*it is 5/],
    ['branches that are no object', () => loose('f').fork([step]), 'PAWL_ARGUMENT', /branches are an array/],
    ['a join that follows no fork', () => loose('f').step(step).join('j'), 'PAWL_FLOW_INVALID', /join\("j"\) follows no fork/],
    ['building a branch', () => loose('f').fork({ a: (b: Loose) => b.build() }), 'PAWL_FLOW_INVALID', /called on a branch/],
    ['a step without a function', () => loose('f').step('a', undefined), 'PAWL_ARGUMENT', /step "a".*undefined/],
    ['a name that is no text', () => flow(5 as never), 'PAWL_ARGUMENT', /flow\(\): the name is 5/],
    ['a task without a function', () => task('t', 'x' as never), 'PAWL_ARGUMENT', /task "t".*"x"/],
    ['a delay without a length', () => loose('f').delay('d', undefined), 'PAWL_OPTION', /length of d/],
    ['a delay until nonsense', () => flow('f').delay('d', { until: 'noon' }), 'PAWL_OPTION', /until/],
    ['a delay for and until', () => loose('f').delay('d', { until: 1, for: 2 }), 'PAWL_OPTION', /no option "for"/],
    ['an unknown onTimeout', () => loose('f').signal('s', { timeout: 1, onTimeout: 'contine' }), 'PAWL_OPTION', /Did you mean 'continue'/],
  ])('%s', (_, build, code, message) => {
    expect(thrownBy(build)).toMatchObject({ code, message: expect.stringMatching(message) })
  }) // biome-ignore format: a table
})

describe('large flows', () => {
  test('10,000 steps in a chain are built', () => {
    let builder = flow('long')
    for (let at = 0; at < 10_000; at++) builder = builder.step(`step ${at}`, pass)
    expect(builder.build().hash).toMatch(/./)
  })

  test('10,000 branches of one fork are built', () => {
    const branches = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`branch ${at}`, pass]))
    expect(flow('wide').fork(branches).build().hash).toMatch(/./)
  })

  test.each([
    [500, 'b', true],
    [1_200, 'b', false],
    [500, 'x'.repeat(10_000), false],
  ])(
    '%i forks within each other, with branches named %.5s…: built or refused with the limit named',
    (depth, name, fits) => {
      const build = () => loose('deep').fork(nested(depth, name)).build()
      if (fits) expect(build().hash).toMatch(/./)
      else
        expect(thrownBy(build)).toMatchObject({
          code: 'PAWL_FLOW_INVALID',
          message: expect.stringMatching(/too deep.*1000 forks/),
        })
    },
  )
})

function nested(depth: number, name: string): Loose {
  let branch = (b: Loose) => b.step('leaf', pass)
  for (let level = 1; level < depth; level++) {
    const inner = branch
    branch = (b: Loose) => b.fork({ [name]: inner }).join('joined')
  }
  return { [name]: branch }
}
