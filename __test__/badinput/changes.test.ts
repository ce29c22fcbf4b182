import { flow, Pawl } from 'pawl'

let pawl: Pawl
beforeEach(async () => {
  pawl = await Pawl.connect('memory:')
})
afterEach(() => pawl.close())

/** What steps do to what they are given must not reach anybody else. */
describe('a value that somebody changes', () => {
  test('is another one for each branch and each attempt', async () => {
    const spoil = async (order: { items: string[] }) => {
      order.items.push('spoilt')
      return order.items
    }
    const spoiling = flow<{ items: string[] }>('spoiling')
      .fork({ a: spoil, b: (b) => b.step('b', spoil), c: async (order: { items: string[] }) => order.items })
      .step('see', async (outputs, ctx) => {
        outputs.a.push('again')
        return { outputs, input: await ctx.input(), a: await ctx.output('a/a') }
      })
      .build()
    expect(await pawl.run(spoiling, { items: ['one'] })).toMatchObject({
      output: {
        outputs: { a: ['one', 'spoilt', 'again'], b: ['one', 'spoilt'], c: ['one'] },
        input: { items: ['one'] },
        a: ['one', 'spoilt'],
      },
    })
    const retried = flow<string[]>('retried')
      .step('retry', async (list, ctx) => {
        list.push('spoilt')
        if (ctx.attempt === 1) throw new Error('once more')
        return list
      }, { retry: { maxAttempts: 2, backoff: 0 } })
      .build() // biome-ignore format: one line
    expect(await pawl.run(retried, [])).toMatchObject({ output: ['spoilt'] })
  })

  test('is stored as it was when it was returned or sent', async () => {
    const late: { n: number }[] = []
    const returning = flow('returning')
      .step('make', async () => {
        const made = { n: 1 }
        late.push(made)
        return made
      })
      .signal<{ n: number }, 'go'>('go')
      .step('see', async (payload, ctx) => [payload.n, (await ctx.output('make')).n])
      .build()
    const status = await pawl.run(returning, undefined, { id: 'r' })
    expect(status.status).toBe('awaitingSignal')
    for (const made of late) made.n = 99
    const payload = { n: 2 }
    const sending = pawl.handle('r').signal('go', payload)
    payload.n = 99
    await sending
    expect(await pawl.resume('r')).toMatchObject({ output: [2, 1] })
  })

  test('does not come from results: each asker gets a copy', async () => {
    const list = flow('list').step('list', async () => ['one']).build() // biome-ignore format: one line
    await pawl.run(list, undefined, { id: 'l' })
    const first = await pawl.handle<string[]>('l').result()
    first.push('spoilt')
    expect(await pawl.handle('l').result()).toEqual(['one'])
  })

  test('cannot be a flow, a task or their options', async () => {
    const retry = { maxAttempts: 2, backoff: 0 }
    let begun = 0
    const keen = flow('keen').step('keen', async () => {
      begun += 1
      throw new Error('no')
    }, { retry }).build() // biome-ignore format: one line
    retry.maxAttempts = 9
    expect(() => Object.assign(keen, { name: 'other' })).toThrow(TypeError)
    expect(await pawl.run(keen, undefined)).toMatchObject({ status: 'failed' })
    expect(begun).toBe(2)
  })
})

test('an error of twenty million characters ends its run, shortened', async () => {
  const big = flow('big').step('big', async () => {
    throw Object.assign(new Error(`${'x'.repeat(20_000_000)}\0\ud83d`), { stack: 'y'.repeat(20_000_000) })
  }, { retry: { maxAttempts: 2, backoff: 0 } }).build() // biome-ignore format: one line
  const status = await pawl.run(big, undefined)
  if (status.status !== 'failed') throw new Error(status.status)
  expect(status.error.message.length).toBeLessThan(20_000)
  expect((status.error.cause as Error).message).toMatch(/^x+/)
  expect((status.error.cause as Error).message.length).toBeLessThan(20_000)
})
