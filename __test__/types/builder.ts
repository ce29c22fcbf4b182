/** What the builder infers. Checked by the compiler only; nothing here is run. */

import { type Context, type Flow, flow, type InputOf, type OutputOf, type Task, task } from 'pawl'
import { type Same, type } from './expect'

interface Order {
  readonly id: string
  readonly total: number
}
interface Receipt {
  readonly receipt: string
}

const charge = task('charge', async (order: Order, ctx) => {
  type<Same<typeof ctx, Context>>()
  return { receipt: order.id } satisfies Receipt
})
const pick = task('pick', (receipt: Receipt) => ({ picked: receipt.receipt.length }))
const pack = task('pack', (parcel: { readonly picked: number }) => `packed ${parcel.picked}` as const)
const sendReceipt = async (receipt: Receipt) => ({ mailed: receipt.receipt })
const wrongTask = task('wrong', async (at: Date) => at.getTime())
const wrongFunction = async (at: Date) => at.getTime()

type<Same<typeof charge, Task<'charge', Order, { receipt: string }>>>()

const charged = flow<Order>('checkout').step(charge)

// A step gets what the one before it gives; the first gets the run's input.
flow<Order>('f')
  .step('first', (order) => {
    type<Same<typeof order, Order>>()
    return order.total
  })
  .step('second', async (total, ctx) => {
    type<Same<typeof total, number>>()
    const [order, first] = [await ctx.input(), await ctx.output('first')]
    type<Same<typeof order, Order>>()
    type<Same<typeof first, number>>()
    // @ts-expect-error: a step has no output of its own yet
    ctx.output('second')
    // @ts-expect-error: there is no such step
    ctx.output('frist')
  })
  .step('third', (nothing) => {
    type<Same<typeof nothing, void>>()
  })

// A task fits where its input does, under its own name or another.
charged.step(pick).step(pack)
charged.step('pick again', pick, { timeout: '5s' }).step(pack)
// @ts-expect-error: it takes a Date
charged.step(wrongTask)
// @ts-expect-error: it takes a Date
charged.step('wrong', wrongTask)
// @ts-expect-error: it takes a Date
charged.step('wrong', wrongFunction)

// What comes into a delay goes out.
charged.delay('d', '2h').step('after', async (receipt, ctx) => {
  type<Same<typeof receipt, { receipt: string }>>()
  type<Same<Awaited<ReturnType<typeof ctx.output<'d'>>>, { receipt: string }>>()
})
charged
  .delay('d', { until: new Date(0) })
  .delay('e', { until: '2030-01-01' })
  .delay('g', 5)
// @ts-expect-error: no such unit
charged.delay('d', '5 parsecs')
// @ts-expect-error: no unit at all
charged.delay('d', '5')

// A signal gives its payload, or says that the time was over if it goes on.
charged.signal<Order>('approval').step('after', (order) => type<Same<typeof order, Order>>())
charged.signal<Order>('approval', { timeout: '2d' }).step('after', (order) => type<Same<typeof order, Order>>())
charged
  .signal<Order, 'approval'>('approval', { timeout: '2d', onTimeout: 'continue' })
  .step('after', async (outcome, ctx) => {
    if (!('timedOut' in outcome)) type<Same<typeof outcome, Order>>()
    else type<Same<typeof outcome.timedOut, true>>()
    type<Same<Awaited<ReturnType<typeof ctx.output<'approval'>>>, typeof outcome | Order>>()
  })
charged.signal('go').step('after', (payload) => type<Same<typeof payload, unknown>>())
// @ts-expect-error: without a timeout there is nothing to go on after
charged.signal<Order>('approval', { onTimeout: 'continue', timeout: undefined })

// Every branch gets what the fork gets; a join gets the outputs by branch, in the branches' own types.
const forked = charged.fork({
  email: sendReceipt,
  pick,
  ship: (b) =>
    b
      .step(pick)
      .delay('dock', '2h')
      .step('weigh', async (parcel, ctx) => {
        type<Same<typeof parcel, { picked: number }>>()
        const [order, before, here] = [await ctx.input(), await ctx.output('charge'), await ctx.output('pick')]
        type<Same<typeof order, Order>>()
        type<Same<typeof before, { receipt: string }>>()
        type<Same<typeof here, { picked: number }>>()
        // @ts-expect-error: the branch beside may not have ended
        ctx.output('email/email')
        return { ...parcel, grams: 5 }
      })
      .step(pack),
})
interface Joined {
  email: { mailed: string }
  pick: { picked: number }
  ship: `packed ${number}`
}

const joined = forked.join('combine', async (outputs, ctx) => {
  type<Same<typeof outputs.email, Joined['email']>>()
  type<Same<typeof outputs.pick, Joined['pick']>>()
  type<Same<typeof outputs.ship, Joined['ship']>>()
  type<Same<Awaited<ReturnType<typeof ctx.output<'ship/weigh'>>>, { grams: number; picked: number }>>()
  return outputs
})
joined.step('after', async (outputs, ctx) => {
  type<Same<keyof typeof outputs, keyof Joined>>()
  const [packed, mailed, picked, combined] = [
    await ctx.output('ship/pack'),
    await ctx.output('email/email'),
    await ctx.output('pick/pick'),
    await ctx.output('combine'),
  ]
  type<Same<typeof packed, Joined['ship']>>()
  type<Same<typeof mailed, Joined['email']>>()
  type<Same<typeof picked, Joined['pick']>>()
  type<Same<typeof combined.ship, Joined['ship']>>()
  // @ts-expect-error: inside the branch it has another name
  ctx.output('pack')
  // @ts-expect-error: a branch is no node
  ctx.output('ship')
})

// Without a join, or with one that has no function, the object of outputs goes on.
forked.step('after', (outputs) => type<Same<keyof typeof outputs, keyof Joined>>())
forked.join('named').step('after', async (outputs, ctx) => {
  type<Same<typeof outputs.ship, Joined['ship']>>()
  type<Same<Awaited<ReturnType<typeof ctx.output<'named'>>>, typeof outputs>>()
})

// Forks within forks.
charged
  .fork({
    a: (b) =>
      b.fork({ x: pick, y: (b) => b.step('len', (r) => r.receipt.length) }).join('sum', ({ x, y }) => x.picked + y),
    c: (b) => b.fork({ x: pick }),
  })
  .step('after', async (outputs, ctx) => {
    type<Same<typeof outputs.a, number>>()
    type<Same<typeof outputs.c.x, { picked: number }>>()
    type<Same<Awaited<ReturnType<typeof ctx.output<'a/y/len'>>>, number>>()
    type<Same<Awaited<ReturnType<typeof ctx.output<'a/sum'>>>, number>>()
  })

// A function of two parameters is a step, async or not, and both get their types; one parameter is annotated.
charged
  .fork({
    async: async (receipt, ctx) => {
      type<Same<typeof receipt, { receipt: string }>>()
      const [order, before] = [await ctx.input(), await ctx.output('charge')]
      type<Same<typeof order, Order>>()
      type<Same<typeof before, { receipt: string }>>()
      // @ts-expect-error: the branch beside may not have ended
      ctx.output('sync/sync')
      return receipt
    },
    sync: (receipt, ctx) => receipt.receipt.length + ctx.attempt,
    half: async (_receipt: Receipt, ctx) => ctx.runId,
    annotated: async (receipt: Receipt) => receipt.receipt.length,
    nothing: async () => 5 as const,
    inner: (b) => b.fork({ deep: async (receipt, ctx) => [receipt.receipt, (await ctx.output('charge')).receipt] }),
  })
  .step('after', async (outputs, ctx) => {
    type<Same<typeof outputs.async, { receipt: string }>>()
    type<Same<typeof outputs.sync, number>>()
    type<Same<typeof outputs.half, string>>()
    type<Same<typeof outputs.annotated, number>>()
    type<Same<typeof outputs.nothing, 5>>()
    type<Same<typeof outputs.inner.deep, string[]>>()
    type<Same<Awaited<ReturnType<typeof ctx.output<'inner/deep/deep'>>>, string[]>>()
  })

// @ts-expect-error: the task takes a Date
charged.fork({ a: wrongTask })
// @ts-expect-error: a plain function of one parameter is taken for a builder callback
charged.fork({ a: (receipt: Receipt) => receipt.receipt })
// @ts-expect-error: the first parameter is a Date
charged.fork({ a: async (_at: Date, ctx) => ctx.runId })
// @ts-expect-error: a branch is none of these
charged.fork({ a: 5 })
// @ts-expect-error: the function takes a Date
charged.fork({ a: wrongFunction })
// @ts-expect-error: a join needs a fork
charged.join('combine')

// A flow knows what it takes and gives.
const checkout = joined.build()
type<Same<InputOf<typeof checkout>, Order>>()
type<Same<OutputOf<typeof checkout>['ship'], Joined['ship']>>()
export const anyFlow: Flow<never, unknown> = checkout
// @ts-expect-error: it takes an Order
export const otherFlow: Flow<Date, unknown> = checkout

// Names that are only known at run time are allowed, and leave the known ones alone.
declare const someName: string
charged
  .step(someName, () => 1)
  .step('after', async (n, ctx) => {
    type<Same<typeof n, number>>()
    type<Same<Awaited<ReturnType<typeof ctx.output<'charge'>>>, { receipt: string }>>()
    type<Same<Awaited<ReturnType<typeof ctx.output<'anything'>>>, unknown>>()
  })

// A function written for any flow is a step of every one, wherever it stands.
const reusable = async (value: number, ctx: Context) => value + ctx.attempt
flow<number>('reused')
  .step('first', reusable)
  .step('second', reusable)
  .fork({ chain: (b) => b.step('third', reusable), plain: reusable, named: task('fourth', reusable) })
  .step('last', async ({ chain, plain, named }, ctx) => chain + plain + named + (await ctx.output('chain/third')))
