/** An order's way: validate → fork(charge, reserve → pack) → join → approval → delay → notify. */
import { flow, NonRetryableError, task } from 'pawl'
import { problemsOf, totalOf } from './order.mjs'

/** @typedef {import('./order.mjs').Order} Order */

const validate = task('validate', (/** @type {Order} */ order) => {
  const problems = problemsOf(order)
  if (problems.length > 0) throw new NonRetryableError(`Order ${order.id}: ${problems.join('; ')}`)
  return order
})

const reserve = task('reserve', (/** @type {Order} */ order) => ({
  order: order.id,
  shelf: order.items.map((item) => `${item.sku}×${item.quantity}`),
}))

const pack = task('pack', (/** @type {{ order: string, shelf: string[] }} */ reserved) => `parcel-${reserved.order}`)

/**
 * @param {object} world
 * @param {ReturnType<typeof import('./ledger.mjs').openLedger>} world.ledger
 * @param {string} world.approvalTimeout How long an order waits for its approval before it goes on without.
 * @param {string} world.coolOff How long an approved order can still be cancelled.
 */
export function orderFlow({ ledger, approvalTimeout, coolOff }) {
  const charge = task(
    'charge',
    (/** @type {Order} */ order, ctx) =>
      ledger.charge({ key: ctx.idempotencyKey, order: order.id, cents: totalOf(order) }),
    { timeout: '10s', retry: { maxAttempts: 5, backoff: '500ms', factor: 2 } },
  )

  return flow('order')
    .step(validate)
    .fork({ payment: charge, parcel: (branch) => branch.step(reserve).step(pack) })
    .join('prepared', ({ payment, parcel }) => ({ cents: payment.cents, parcel }))
    .signal('approval', { timeout: approvalTimeout, onTimeout: 'continue' })
    .delay('cool-off', coolOff)
    .step('notify', async (approval, ctx) => {
      const { id, email } = await ctx.input()
      const { cents, parcel } = await ctx.output('prepared')
      const approvedBy = 'timedOut' in approval ? null : approval.by
      ctx.log.info(`telling ${email} about ${parcel}`)
      return { order: id, parcel, cents, approvedBy }
    })
    .build()
}
