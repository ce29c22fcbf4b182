#!/usr/bin/env node
/** The service: an Express app with its worker beside it in one process, on one SQLite file. */
import { Pawl, Worker } from 'pawl'
import { orderApp } from './app.mjs'
import { orderFlow } from './flow.mjs'
import { openLedger } from './ledger.mjs'

const {
  PORT = '3000',
  DB = 'orders.db',
  LEDGER = 'ledger.jsonl',
  APPROVAL_TIMEOUT = '2d',
  COOL_OFF = '5s',
} = process.env

const orders = orderFlow({ ledger: openLedger(LEDGER), approvalTimeout: APPROVAL_TIMEOUT, coolOff: COOL_OFF })
const pawl = await Pawl.connect(`sqlite:${DB}`)
const worker = new Worker(pawl, { flows: [orders], concurrency: 32 })
await worker.start()

const server = orderApp(pawl, worker, orders).listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error
  console.log(`orders at http://127.0.0.1:${server.address().port}/orders`)
})

/** No new requests, steps in flight get ten seconds, then everything is closed and the process ends by itself. */
process.once('SIGTERM', async () => {
  server.close()
  server.closeIdleConnections()
  await worker.stop({ drain: '10s' })
  await pawl.close()
  server.closeAllConnections()
  console.log('drained')
})
