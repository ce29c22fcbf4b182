/** Second part: the Express app, a few hundred orders through HTTP, and a SIGTERM at the end. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readLedger } from '../express-orders/ledger.mjs'
import { startChild } from '../support/child.cjs'
import { httpClient } from './http.mjs'
import { check, figure, heading, say, secondsSince } from './print.mjs'

const SERVER = fileURLToPath(new URL('../express-orders/server.mjs', import.meta.url))
const UNFINISHED = 64

/** What is done to the orders, in turn: eight of ten are approved, one is cancelled, one is not valid. */
const FATES = [
  'approve',
  'approve',
  'approve',
  'approve',
  'cancel',
  'approve',
  'approve',
  'approve',
  'approve',
  'invalid',
]
const END_OF_FATE = { approve: 'completed', cancel: 'cancelled', invalid: 'failed' }

/** @param {string} state An empty folder. @param {number} count How many orders. */
export async function demoOrders(state, count) {
  heading(`Orders: an Express app with its worker beside it, ${count} orders through HTTP`)
  const env = { PORT: '0', DB: join(state, 'orders.db'), LEDGER: join(state, 'ledger.jsonl'), COOL_OFF: '100ms' }
  const server = startChild(SERVER, [], { env })
  const [, url] = await server.line(/orders at (http:\S+)/)
  say(`listening at ${url}`)

  const http = httpClient(url)
  const startedAt = performance.now()
  const orders = Array.from({ length: count }, (_, n) => ({ id: `order-${n}`, fate: FATES[n % FATES.length] }))
  const ends = await inLanes(orders, (order) => sendOrder(http, order))
  const seconds = secondsSince(startedAt)

  for (const end of Object.values(END_OF_FATE)) figure(ends.filter((seen) => seen === end).length, `${end}`)
  figure(`${seconds} s`, `from the first request to the last end, ${(count / Number(seconds)).toFixed(0)} orders/s`)
  say('')
  check(
    orders.every(({ fate }, n) => ends[n] === END_OF_FATE[fate]),
    'every order ended as it should',
  )
  checkLedger(env.LEDGER, orders)
  await checkAnswers(http)

  server.kill('SIGTERM')
  const { code } = await server.ended
  check(
    code === 0 && server.output().includes('drained'),
    'SIGTERM drained the worker, and the process ended by itself',
  )
}

/** @param {ReturnType<typeof httpClient>} http @param {{ id: string, fate: string }} order @returns {Promise<string>} how it ended */
async function sendOrder(http, { id, fate }) {
  const quantity = fate === 'invalid' ? 0 : 2
  await http.post('', { id, email: `${id}@example.org`, items: [{ sku: 'loom', quantity, cents: 1250 }] })
  if (fate === 'approve') await http.post(`/${id}/approval`, { by: 'ops' }, { 'Idempotency-Key': `${id}-approval` })
  if (fate === 'cancel') await http.post(`/${id}/cancel`, { reason: 'changed their mind', by: 'customer' })
  await http.get(`/${id}/result?timeout=60s`)
  const { body } = await http.get(`/${id}`)
  return body.status
}

/** @param {string} file @param {{ id: string, fate: string }[]} orders */
function checkLedger(file, orders) {
  const charged = readLedger(file).map(({ order }) => order)
  const once = new Set(charged)
  const approved = orders.filter(({ fate }) => fate === 'approve')
  const refused = orders.filter(({ fate }) => fate === 'invalid')
  check(once.size === charged.length, `${charged.length} charges, none of them twice`)
  check(
    approved.every(({ id }) => once.has(id)),
    'every completed order was charged',
  )
  check(
    refused.every(({ id }) => !once.has(id)),
    'no invalid order was charged',
  )
}

/** @param {ReturnType<typeof httpClient>} http */
async function checkAnswers(http) {
  const again = await http.post('', { id: 'order-0', email: 'a@example.org', items: [] })
  check(again.status === 409, `an order id that exists is answered with 409 ${again.body.code}`)
  const unknown = await http.get('/nobody')
  check(unknown.status === 404, `an order that does not exist with 404 ${unknown.body.code}`)
}

/** @template A, B @param {A[]} items @param {(item: A) => Promise<B>} work @returns {Promise<B[]>} */
async function inLanes(items, work) {
  const results = new Array(items.length)
  const waiting = items.entries()
  const lane = async () => {
    for (const [at, item] of waiting) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: UNFINISHED }, lane))
  return results
}
