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

/** @param {string} file @param {string} what */
const look = (file, what) => say(`${file.padEnd(state.length + 24)}${what}`)

try {
  await demoIngest(ingest)
  await demoOrders(orders, Number(values.orders))
  heading('Where to look')
  look(join(ingest, 'catalogue.db'), 'what was learned about the files (table: files)')
  look(join(ingest, 'effects.jsonl'), 'every effect, with the process that had it')
  look(join(ingest, 'pawl.db'), 'the runs of the files')
  look(join(orders, 'ledger.jsonl'), 'the charges')
  say('')
  say(`DB=${join(orders, 'orders.db')} LEDGER=${join(orders, 'ledger.jsonl')} node examples/express-orders/server.mjs`)
  say('then http://127.0.0.1:3000/orders?status=completed · /orders/order-0 · /health')
} catch (error) {
  if (!(error instanceof Mismatch)) throw error
  console.error(`\n  The demo saw what must not be: ${error.message}\n  Its files: ${state}`)
  process.exitCode = 1
}
