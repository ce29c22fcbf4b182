/** What clients and workers are typed by. Checked by the compiler only; nothing here is run. */

import { flow, NonRetryableError, Pawl, PawlError, RetryAfterError, type RunHandle, type RunStatus, Worker } from 'pawl'
import { type Same, type } from './expect'

interface Order {
  readonly id: string
}

const checkout = flow<Order>('checkout')
  .step('ship', async (order) => ({ shipped: order.id, at: new Date() }))
  .build()
const tick = flow<void>('tick')
  .step('tick', () => 1)
  .build()
const anything = flow('anything')
  .step('pass', (x) => x)
  .build()

type Shipment = { shipped: string; at: Date }

export async function clients(): Promise<void> {
  await using pawl = await Pawl.connect('sqlite:orders.db', { name: 'test' })
  type<Same<typeof pawl, Pawl>>()

  // Starting takes what the flow takes, and its handle knows what the flow gives.
  const run = await pawl.start(checkout, { id: '1' }, { id: 'order-1', onConflict: 'useExisting' })
  type<Same<typeof run, RunHandle<Shipment>>>()
  type<Same<Awaited<ReturnType<typeof run.result>>, Shipment>>()
  // @ts-expect-error: the input is missing
  pawl.start(checkout)
  // @ts-expect-error: the input is of another type
  pawl.start(checkout, 5)
  // @ts-expect-error: an unknown option
  pawl.start(checkout, { id: '1' }, { onconflict: 'fail' })
  // @ts-expect-error: an unknown word
  pawl.start(checkout, { id: '1' }, { onConflict: 'replace' })
  pawl.start(tick)
  pawl.start(tick, undefined, { id: 'now' })
  pawl.start(anything, new Map())
  type<Same<Awaited<ReturnType<typeof pawl.start<Shipment>>>, RunHandle<Shipment>>>()
  const byName = await pawl.start('checkout', { whatever: 1 })
  type<Same<typeof byName, RunHandle<unknown>>>()

  // A status is told apart by one member.
  const status = await pawl.run(checkout, { id: '1' })
  type<Same<typeof status, RunStatus<Shipment>>>()
  if (status.status === 'completed') type<Same<typeof status.output, Shipment>>()
  if (status.status === 'waiting') type<Same<typeof status.wakeAt, Date>>()
  if (status.status === 'awaitingSignal') type<Same<typeof status.timeoutAt, Date | null>>()
  if (status.status === 'failed') type<Same<typeof status.error.cause, unknown>>()
  // @ts-expect-error: only a completed run has an output
  status.output

  type<Same<Awaited<ReturnType<typeof pawl.resume<Shipment>>>, RunStatus<Shipment>>>()
  await pawl.resume('order-1', { flows: [checkout, tick, anything] })

  for await (const listed of await pawl.list({ flow: checkout, status: 'failed', limit: 10 })) {
    if (listed.status === 'failed') type<Same<typeof listed.error.message, string>>()
    // @ts-expect-error: a list has no values
    if (listed.status === 'completed') listed.output
  }

  await run.signal('approval', { by: 'ops' }, { key: 'k' })
  await run.cancel({ reason: 'why', by: 'me' })

  await using worker = new Worker(pawl, { flows: [checkout, tick, anything], claimTtl: '20s', keepAlive: false })
  worker
    .on('error', (error) => type<Same<typeof error, PawlError>>())
    .on('claimsLost', ({ attempts }) => attempts.toFixed())
  // @ts-expect-error: no such event
  worker.on('claimLost', () => {})
  // @ts-expect-error: a builder is no flow
  new Worker(pawl, { flows: [flow('x')] })
}

export function errors(error: unknown): string {
  if (PawlError.is(error)) {
    // @ts-expect-error: no such code
    if (error.code === 'PAWL_RUN_FAILD') return 'misspelt'
    return error.code === 'PAWL_RUN_FAILED' ? String(error.run?.node) : error.code
  }
  // @ts-expect-error: only pawl makes these
  new PawlError('PAWL_ARGUMENT', 'x')
  throw new RetryAfterError('later', '30s', { cause: new NonRetryableError('never', { cause: error }) })
}
