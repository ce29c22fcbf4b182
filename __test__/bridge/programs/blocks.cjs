// A worker whose step blocks the event loop for as long as its input says, on a database that others use as well.
'use strict'
const { writeSync } = require('node:fs')
const { line } = require('../line.cjs')

async function main([url, claimTtlMs, budgetMs, id, blockMs]) {
  const block = (forMs, ctx) => {
    writeSync(1, 'blocking\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs)
    return `attempt ${ctx.attempt} in ${process.pid}`
  }
  const here = await line(
    { block },
    { url, keepAlive: true, claimTtlMs: Number(claimTtlMs), budgetMs: Number(budgetMs) },
  )
  const { output } = await here.result(await here.start(Number(blockMs), id))
  console.log(JSON.stringify({ output, events: here.events.map(({ name }) => name) }))
  await here.close()
}

main(process.argv.slice(2))
