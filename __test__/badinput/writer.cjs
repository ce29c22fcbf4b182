// A process that writes to a database until it cannot, and tells of each answer. node writer.cjs FILE
'use strict'
const { flow, Pawl, Worker } = require('../../dist')

const keep = flow('keep').step('keep', (text) => text).build() // biome-ignore format: one line

async function main([file]) {
  const pawl = await Pawl.connect(`sqlite:${file}`)
  const worker = new Worker(pawl, { flows: [keep] })
  // The same trouble is told to the caller below.
  worker.on('error', () => {})
  await worker.start()
  const acknowledged = []
  for (;;) {
    try {
      acknowledged.push((await pawl.start(keep, 'x'.repeat(20_000))).id)
    } catch (error) {
      console.log(JSON.stringify({ acknowledged, code: error.code, message: error.message }))
      return
    }
  }
}

main(process.argv.slice(2))
