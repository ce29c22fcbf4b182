// Starts and works on runs as fast as it can, and tells the id of each once it is acknowledged.
'use strict'
const { flow, Pawl, Worker } = require('../../../dist')

const chain = flow('chain').step('a', (n) => n).step('b', (n) => n).build() // biome-ignore format: one line

async function main([file]) {
  const pawl = await Pawl.connect(`sqlite:${file}`)
  await new Worker(pawl, { flows: [chain] }).start()
  const forever = async () => {
    for (;;) process.send({ what: 'started', at: Date.now(), data: (await pawl.start(chain, 1)).id })
  }
  for (let at = 0; at < 16; at += 1) forever()
}

main(process.argv.slice(2))
