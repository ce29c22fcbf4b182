#!/usr/bin/env node
/** The demo: `node examples/demo/run.mjs [--orders N] [--state FOLDER]`. Ends with 1 if anything is not as it must be. */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { demoIngest } from './ingest.mjs'
import { demoOrders } from './orders.mjs'
import { heading, Mismatch, say } from './print.mjs'

const { values } = parseArgs({ options: { orders: { type: 'string', default: '300' }, state: { type: 'string' } } })
const state = values.state ?? mkdtempSync(join(tmpdir(), 'pawl-demo-'))
const ingest = join(state, 'ingest')
const orders = join(state, 'orders')
for (const folder of [ingest, orders]) mkdirSync(folder, { recursive: true })

try {
  await demoIngest(ingest)
  await demoOrders(orders, Number(values.orders))
  heading('Where to look')
  say(`${join(ingest, 'catalogue.db')}   what was learned about the files (table: files)`)
  say(`${join(ingest, 'effects.jsonl')}  every effect, with the process that had it`)
  say(`${join(ingest, 'pawl.db')}        the runs`)
  say(`${join(orders, 'ledger.jsonl')}   the charges`)
  say(`DB=${join(orders, 'orders.db')} node examples/express-orders/server.mjs`)
  say('  then http://127.0.0.1:3000/orders?status=completed · /orders/order-0 · /health')
} catch (error) {
  if (!(error instanceof Mismatch)) throw error
  console.error(`\n  The demo saw what must not be: ${error.message}\n  Its files: ${state}`)
  process.exitCode = 1
}
