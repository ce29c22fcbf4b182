import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as here from 'pawl'
import { copyPackage } from './package-copy'

const folder = mkdtempSync(join(tmpdir(), 'pawl-copies-'))
afterAll(() => rmSync(folder, { recursive: true }))
const copies = { here, there: require(copyPackage(folder)) as typeof here }
const PAIRS = [
  ['here', 'here'],
  ['here', 'there'],
  ['there', 'here'],
  ['there', 'there'],
] as const

test('the copies are two', () => {
  expect(copies.there.Pawl).not.toBe(here.Pawl)
})

describe.each(PAIRS)('a flow made %s and run %s', (made, run) => {
  const { flow, task, NonRetryableError, RetryAfterError, PawlError: MadeError } = copies[made]
  const { Pawl, PawlError } = copies[run]
  let pawl: here.Pawl
  beforeEach(async () => {
    pawl = await Pawl.connect('memory:')
  })
  afterEach(() => pawl.close())

  test('ends', async () => {
    const double = task('double', async (n: number) => n * 2)
    const doubled = copies[run].flow<number>('doubled').step(double as never).build() // biome-ignore format: one line
    const fork = flow<number>('fork').fork({ a: double, b: (b) => b.step(double) }).build() // biome-ignore format: one line
    expect(await pawl.run(doubled, 2)).toMatchObject({ status: 'completed', output: 4 })
    expect(await pawl.run(fork, 2)).toMatchObject({ status: 'completed', output: { a: 4, b: 4 } })
  })

  test('is taken by a worker, whichever copy that is from', async () => {
    const quick = flow<number>('quick').step('quick', async (n) => n).build() // biome-ignore format: one line
    await using worker = new copies[made].Worker(pawl, { flows: [quick] })
    await worker.start()
    expect(await (await pawl.start(quick, 3)).result()).toBe(3)
  })

  test('is steered by the errors it throws', async () => {
    const begun: number[] = []
    const retry = { maxAttempts: 3, backoff: 0 }
    const final = flow('final')
      .step('final', async (_, ctx) => {
        begun.push(ctx.attempt)
        throw ctx.attempt === 1 ? new RetryAfterError('soon', 0) : new NonRetryableError('never')
      }, { retry })
      .build() // biome-ignore format: one line
    expect(await pawl.run(final, undefined)).toMatchObject({ status: 'failed', error: { cause: { message: 'never' } } })
    expect(begun).toEqual([1, 2])
  })

  test('has errors that both copies know by code', async () => {
    const error = await pawl.get('nobody').catch((thrown: unknown) => thrown)
    for (const known of [MadeError, PawlError]) expect(known.is(error)).toBe(true)
    expect(error).toMatchObject({ code: 'PAWL_RUN_NOT_FOUND', name: 'PawlError' })
  })

  test('keeps values apart from classes', async () => {
    const error = flow('error').step('make', async () => new (MadeError as any)('PAWL_ARGUMENT', 'kept')).build() // biome-ignore format: one line
    expect(await pawl.run(error, undefined)).toMatchObject({
      status: 'completed',
      output: { message: 'kept', code: 'PAWL_ARGUMENT' },
    })
  })
})

test('two copies do not open one file, which they would damage, and say so', async () => {
  const url = `sqlite:${join(folder, 'runs.db')}`
  const one = await copies.here.Pawl.connect(url)
  const again = await copies.here.Pawl.connect(url)
  for (const open of [one, again]) {
    await expect(copies.there.Pawl.connect(url)).rejects.toMatchObject({
      code: 'PAWL_STORE_BUSY',
      message: expect.stringMatching(/open in this process already, by another copy of pawl.*npm ls pawl/),
    })
    await open.close()
  }
  await using two = await copies.there.Pawl.connect(url)
  expect((await two.list()).runs).toEqual([])
})

test('a module registry that is reset many times leaves no threads behind', async () => {
  const threads = () => (process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0)
  const round = async () => {
    jest.resetModules()
    const pawl = (require('pawl') as typeof here).Pawl
    await using again = await pawl.connect('memory:')
    await again.list()
  }
  for (let at = 0; at < 5; at++) await round()
  const before = threads()
  for (let at = 0; at < 100; at++) await round()
  expect(threads() - before).toBeLessThan(5)
})
