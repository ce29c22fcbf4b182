// A worker thread with a worker of pawl: runs as many steps as it is told, or hangs in one.
'use strict'
const { parentPort, workerData } = require('node:worker_threads')
const { flow, Pawl, Worker } = require('../../../dist')

const quick = flow('quick').step('quick', async (n) => n).build() // biome-ignore format: one line
const hung = flow('hung')
  .step('hang', () => {
    parentPort.postMessage('hanging')
    return new Promise(() => {})
  })
  .build()

async function main() {
  const pawl = await Pawl.connect(`sqlite:${workerData}`)
  await new Worker(pawl, { flows: [quick, hung], claimTtl: '1s' }).start()
  parentPort.on('message', async (count) => {
    if (count === 'hang') {
      await pawl.start(hung, undefined, { id: 'hung', onConflict: 'useExisting' })
      return
    }
    const runs = await Promise.all(Array.from({ length: count }, (_, n) => pawl.start(quick, n)))
    parentPort.postMessage(await Promise.all(runs.map((run) => run.result())))
  })
  parentPort.postMessage('ready')
}

main()
