import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FlowGraph, flow, task } from 'pawl'

const pass = async (x: unknown) => x
const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8')

const charge = task('charge', pass, {
  timeout: '30s',
  retry: { maxAttempts: 5, backoff: '1s', factor: 2, maxBackoff: '1m' },
})

/** The flow of docs/GRAPHS.md. */
const checkout = flow('checkout', { deadline: '7d' })
  .step(charge)
  .fork({ email: pass, ship: (b) => b.step('pick', pass).delay('dock', '2h').step('pack', pass) })
  .join('combine', (outputs) => outputs)
  .signal('approval', { timeout: '2d', onTimeout: 'continue' })
  .step('finish', pass)
  .build()

/** A fork that begins a branch, one that ends it, and one that is all of the flow. */
const nested = flow('nested')
  .fork({
    first: (b) => b.fork({ x: pass, y: pass }).step('after', pass),
    last: (b) => b.step('before', pass).fork({ only: (c) => c.signal('go', { signal: 'green light' }) }),
  })
  .join('all', async (outputs) => outputs, { timeout: '90s' })
  .build()

const deep = (depth: number) => {
  let within = (b: any): any => b.step('core', pass)
  for (let at = 0; at < depth; at++) {
    const inner = within
    within = (b) => b.fork({ in: inner, by: pass })
  }
  return within(flow('deep')).build() as typeof nested
}

const wide = (branches: number) =>
  flow('wide')
    .fork(Object.fromEntries(Array.from({ length: branches }, (_, at) => [`branch ${at}`, pass])))
    .build()

describe('graph()', () => {
  test('tells every node with its options, in the order of declaration', () => {
    const retry = { maxAttempts: 1, backoffMs: 1_000, factor: 2, maxBackoffMs: 300_000, jitter: true }
    const plain = { timeoutMs: null, retry }
    expect(checkout.graph()).toEqual({
      version: 1,
      flow: 'checkout',
      hash: checkout.hash,
      deadlineMs: 604_800_000,
      nodes: [
        { path: 'charge', scope: '', name: 'charge', kind: 'step', timeoutMs: 30_000, retry: { ...retry, maxAttempts: 5, maxBackoffMs: 60_000 } }, // biome-ignore format: a table
        { path: 'combine', scope: '', name: 'combine', kind: 'fork', branches: ['email', 'ship'], join: plain },
        { path: 'email/email', scope: 'email', name: 'email', kind: 'step', ...plain },
        { path: 'ship/pick', scope: 'ship', name: 'pick', kind: 'step', ...plain },
        { path: 'ship/dock', scope: 'ship', name: 'dock', kind: 'delay', forMs: 7_200_000, until: null },
        { path: 'ship/pack', scope: 'ship', name: 'pack', kind: 'step', ...plain },
        { path: 'approval', scope: '', name: 'approval', kind: 'signal', signal: 'approval', timeoutMs: 172_800_000, onTimeout: 'continue' }, // biome-ignore format: a table
        { path: 'finish', scope: '', name: 'finish', kind: 'step', ...plain },
      ],
      edges: [
        { kind: 'next', from: 'charge', to: 'combine' },
        { kind: 'branch', from: 'combine', to: 'email/email', branch: 'email' },
        { kind: 'branch', from: 'combine', to: 'ship/pick', branch: 'ship' },
        { kind: 'next', from: 'combine', to: 'approval' },
        { kind: 'join', from: 'email/email', to: 'combine' },
        { kind: 'next', from: 'ship/pick', to: 'ship/dock' },
        { kind: 'next', from: 'ship/dock', to: 'ship/pack' },
        { kind: 'join', from: 'ship/pack', to: 'combine' },
        { kind: 'next', from: 'approval', to: 'finish' },
      ],
    })
  })

  test('tells what is not set as null', () => {
    const until = new Date('2030-01-31T09:00:00Z')
    const { deadlineMs, nodes } = flow('f').delay('launch', { until }).signal('go').fork({ a: pass }).build().graph()
    expect(deadlineMs).toBeNull()
    expect(nodes.slice(0, 3)).toMatchObject([
      { kind: 'delay', forMs: null, until: '2030-01-31T09:00:00.000Z' },
      { kind: 'signal', timeoutMs: null, onTimeout: 'fail' },
      { kind: 'fork', branches: ['a'], join: null },
    ])
  })

  test('is JSON, the same text at each call and of each flow that is built alike', () => {
    const text = JSON.stringify(nested.graph())
    expect(JSON.parse(text)).toEqual(nested.graph())
    expect(JSON.stringify(nested.graph())).toBe(text)
    expect(JSON.stringify(deep(3).graph())).toBe(JSON.stringify(deep(3).graph()))
  })

  test('is a copy, which nobody can change the flow by', () => {
    const graph = nested.graph() as any
    graph.nodes[0].branches.push('more')
    graph.nodes[0].join.retry.maxAttempts = 9
    graph.edges.length = 0
    expect(nested.graph()).not.toEqual(graph)
    expect(nested.graph().nodes[0]).toMatchObject({
      branches: ['first', 'last'],
      join: { timeoutMs: 90_000, retry: { maxAttempts: 1 } },
    })
  })

  test('has no cycles without the edges that join', () => {
    const { nodes, edges } = nested.graph()
    const place = new Map(nodes.map(({ path }, at) => [path, at]))
    const onward = edges.filter(({ kind }) => kind !== 'join')
    expect(onward.filter(({ from, to }) => place.get(from)! >= place.get(to)!)).toEqual([])
    const reached = new Set(onward.map(({ to }) => to))
    expect(nodes.filter(({ path }) => !reached.has(path)).map(({ path }) => path)).toEqual(['all'])
  })

  test('has the defaults of the native side', () => {
    const [, fields = ''] = /RetryPolicy \{ (max_attempts.*?) \}/.exec(read('crates/core/src/retry.rs')) ?? []
    const native = fields.split(', ').map((field) => field.split(': ')[1]?.replaceAll('_', ''))
    const [step] = flow('f').step('s', pass).build().graph().nodes
    const { retry } = step as Extract<FlowGraph['nodes'][number], { kind: 'step' }>
    const { maxAttempts, backoffMs, factor, maxBackoffMs, jitter } = retry
    expect([maxAttempts, backoffMs, factor.toFixed(1), maxBackoffMs, jitter].map(String)).toEqual(native)
  })
})

describe('toMermaid()', () => {
  test('draws forks within forks', () => {
    expect(nested.toMermaid()).toBe(`flowchart TB
  start(["nested"])
  n0(("fork"))
  n0j["all<br/>at most 1m 30s"]
  n1(("fork"))
  n1j(("x#43;y"))
  n2["x"]
  n3["y"]
  n4["after"]
  n5["before"]
  n6(("fork"))
  n6j(("only#43;"))
  n7>"go<br/>signal green light"]
  done(["end"])
  start --> n0
  n0 -->|"first"| n1
  n0 -->|"last"| n5
  n1 -->|"x"| n2
  n1 -->|"y"| n3
  n1j --> n4
  n2 --> n1j
  n3 --> n1j
  n4 --> n0j
  n5 --> n6
  n6 -->|"only"| n7
  n6j --> n0j
  n7 --> n6j
  n0j --> done`)
  })

  test('draws the picture of docs/GRAPHS.md', () => {
    expect(read('docs/GRAPHS.md')).toContain(`\`\`\`mermaid\n${checkout.toMermaid({ direction: 'LR' })}\n\`\`\`\n`)
  })

  test('tells how long things may take', () => {
    const text = flow('f')
      .step('a', pass, { retry: { maxAttempts: 3 } })
      .step('b', pass, { timeout: 1 })
      .delay('c', 90_061_001)
      .delay('d', 0)
      .delay('e', { until: '2030-01-31T09:00:00Z' })
      .signal('g', { timeout: '1.5h' })
      .build()
      .toMermaid()
    const labels = [...text.matchAll(/^ {2}n\d+.*"(.*)"/gm)].map(([, label]) => label)
    expect(labels).toEqual([
      'a<br/>up to 3 attempts',
      'b<br/>at most 1ms',
      'c<br/>wait 1d 1h 1m 1s 1ms',
      'd<br/>wait 0s',
      'e<br/>wait until 2030-01-31T09#58;00#58;00.000Z',
      'g<br/>signal g<br/>at most 1h 30m, then fails',
    ])
  })

  test.each(['TB', 'BT', 'LR', 'RL'] as const)('goes to where it is told: %s', (direction) => {
    expect(nested.toMermaid({ direction }).split('\n')[0]).toBe(`flowchart ${direction}`)
  })

  test.each<[unknown, RegExp]>([
    [{ direction: 'TD' }, /"direction" is "TD"; it may be 'TB', 'BT', 'LR', 'RL'/],
    [{ directoin: 'LR' }, /no option "directoin"\. Did you mean "direction"/],
    ['LR', /give an object/],
  ])('refuses %j', (options, message) => {
    expect(() => nested.toMermaid(options as any)).toThrow(
      expect.objectContaining({ code: 'PAWL_OPTION', message: expect.stringMatching(message) }),
    )
  })

  test.each([
    ['"quoted" `md`', '#34;quoted#34; #96;md#96;'],
    ['%%{init: {}}%%', '#37;#37;#123;init#58; #123;#125;#125;#37;#37;'],
    ['style:#x', 'style#58;#35;x'],
    ['<b>', '#60;b#62;'],
    ['1. _x_', '1#46; #95;x#95;'],
    ['order-42.b_c', 'order-42.b_c'],
    ['größe 日本語 😀', 'größe 日本語 😀'],
    ['__proto__', '#95;#95;proto#95;#95;'],
    ['end', 'end'],
  ])('shows the name %s as it is', (name, label) => {
    const text = flow(name).step(name, pass).signal('go', { signal: name }).fork({ [name + 1]: pass, o: pass }).build().toMermaid() // biome-ignore format: one line
    expect(text.split('\n').slice(1, 4)).toEqual([
      `  start(["${label}"])`,
      `  n0["${label}"]`,
      `  n1>"go<br/>signal ${label}"]`,
    ])
  })
})

describe('a big flow', () => {
  test('of 500 forks within each other is shown', () => {
    const { nodes, edges } = deep(500).graph()
    expect([nodes.length, edges.length]).toEqual([1_001, 2_000])
    expect(deep(500).toMermaid().split('\n').length).toBe(1 + 1 + 1_501 + 1 + 1 + 2_000 + 1)
    expect(deep(500).check()).toEqual([])
  })

  test('of 10,000 branches is shown', () => {
    const { nodes, edges } = wide(10_000).graph()
    expect([nodes.length, edges.length]).toEqual([10_001, 20_000])
    expect(wide(10_000).toMermaid()).toContain('-->|"branch 9999"| n10000')
    expect(wide(10_000).check()).toEqual([])
  })
})
