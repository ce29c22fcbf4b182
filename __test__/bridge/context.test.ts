import { findAncestor } from '../../dist/bridge/ancestors'
import { PawlError } from '../../dist/errors'
import { outcomeOf, Stage } from './stage'

/** The context that an attempt gets. */
async function context(job = {}): Promise<any> {
  let seen: unknown
  const nodes = [
    { scope: '', name: 'first' },
    { scope: '', name: 'second' },
  ]
  const stage = new Stage((_, ctx) => {
    seen = ctx
  }, nodes)
  stage.run(job)
  await stage.expect(1)
  return seen
}

describe('ctx', () => {
  test('tells where it runs', async () => {
    const ctx = await context({ path: 'ship/pack', attempt: 3, deadlineAt: 5_000 })
    expect(ctx).toMatchObject({ runId: 'order-1', path: 'ship/pack', attempt: 3 })
    expect(ctx.idempotencyKey).toBe('order-1#7:ship/pack')
    expect(ctx.deadline).toEqual(new Date(5_000))
    expect((await context()).deadline).toBeNull()
  })

  test('loads the run input and earlier outputs on demand', async () => {
    const ctx = await context({ nodeIndex: 1, path: 'second' })
    expect(await ctx.input()).toBe('7:')
    expect(await ctx.output('first')).toBe('7:first')
  })

  test('refuses an output that does not exist by then, and says which do', async () => {
    const ctx = await context({ nodeIndex: 1, path: 'second' })
    const error = await ctx.output('third').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(PawlError)
    expect(error).toMatchObject({ code: 'PAWL_OUTPUT_UNKNOWN' })
    expect(error.message).toMatch(/"third".*"first"/)
    await expect(ctx.output('second')).rejects.toMatchObject({ code: 'PAWL_OUTPUT_UNKNOWN' })
    await expect(ctx.output(undefined)).rejects.toMatchObject({ code: 'PAWL_OUTPUT_UNKNOWN' })
  })

  test('does not keep a step from logging where nobody listens', async () => {
    expect(await outcomeOf((_, ctx) => ctx.log.info('hello', { a: 1 }))).toMatchObject({ codec: 1 })
  })
})

describe('ctx.signal', () => {
  test('is aborted with the reason as a PawlError', async () => {
    const stage = new Stage(
      (_, ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))),
    )
    stage.attempts.abort(stage.run(), 'PAWL_RUN_PAUSED', 'The run was paused')
    const [outcome] = await stage.expect(1)
    expect(JSON.parse(outcome!.text)).toMatchObject({ message: 'The run was paused' })
  })

  test('is aborted already when it is read after the abort', async () => {
    let ctx: any
    const stage = new Stage((_, context) => {
      ctx = context
      return new Promise(() => {})
    })
    stage.attempts.abort(stage.run(), 'PAWL_CLAIM_LOST', 'lost')
    expect(ctx.signal.aborted).toBe(true)
    expect(ctx.signal.reason).toMatchObject({ code: 'PAWL_CLAIM_LOST', message: 'lost' })
    expect(() => ctx.signal.throwIfAborted()).toThrow(PawlError)
  })

  test('is the same object each time, and not aborted while nothing happens', async () => {
    const ctx = await context()
    expect(ctx.signal).toBe(ctx.signal)
    expect(ctx.signal.aborted).toBe(false)
  })
})

describe('the name of an output', () => {
  const nodes = [
    { scope: '', name: 'charge' },
    { scope: '', name: 'combine', branches: ['email', 'ship'] },
    { scope: 'email', name: 'send' },
    { scope: 'ship', name: 'charge' },
    { scope: 'ship', name: 'split', branches: ['eu', 'us'] },
    { scope: 'ship/eu', name: 'pack' },
    { scope: 'ship/us', name: 'pack' },
    { scope: 'ship', name: 'label' },
    { scope: '', name: 'finish' },
  ]
  const at = (path: string) => nodes.findIndex(({ scope, name }) => (scope === '' ? name : `${scope}/${name}`) === path)

  test.each([
    ['finish', 'charge', 'charge'],
    ['finish', 'combine', 'combine'],
    ['finish', 'ship/label', 'ship/label'],
    ['finish', 'ship/eu/pack', 'ship/eu/pack'],
    ['ship/label', 'charge', 'ship/charge'],
    ['ship/charge', 'charge', 'charge'],
    ['ship/label', 'eu/pack', 'ship/eu/pack'],
    ['ship/eu/pack', 'charge', 'ship/charge'],
    ['combine', 'email/send', 'email/send'],
    ['ship/split', 'us/pack', 'ship/us/pack'],
    ['combine', 'ship/us/pack', 'ship/us/pack'],
  ])('%s means by %s the node %s', (path, name, expected) => {
    expect(findAncestor(nodes, at(path), name)).toBe(expected)
  })

  test.each([
    ['charge', 'charge'],
    ['charge', 'finish'],
    ['ship/label', 'email/send'],
    ['ship/label', 'combine'],
    ['ship/eu/pack', 'split'],
    ['ship/eu/pack', 'us/pack'],
    ['finish', 'pack'],
    ['finish', ''],
  ])('%s cannot ask for %s', (path, name) => {
    expect(findAncestor(nodes, at(path), name)).toBeUndefined()
  })
})
