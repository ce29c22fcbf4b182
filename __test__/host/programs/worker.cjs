// A process with a worker for the flows beside it: node worker.cjs FILE [OPTIONS as JSON].
'use strict'
const { Pawl, Worker } = require('../../../dist')
const { flowsOf } = require('./flows.cjs')

const tell = (what, data) => process.send?.({ what, at: Date.now(), data })
process.on('warning', (warning) => tell('warning', `${warning.name}: ${warning.message}`))
process.on('unhandledRejection', (error) => tell('unhandledRejection', String(error)))

async function main([file, options = '{}']) {
  const pawl = await Pawl.connect(`sqlite:${file}`)
  const worker = new Worker(pawl, { flows: Object.values(flowsOf(tell)), ...JSON.parse(options) })
  for (const event of ['error', 'storeRecovered', 'claimsLost', 'eventLoopBlocked', 'eventLoopFree']) {
    worker.on(event, (data) => tell(event, data instanceof Error ? { code: data.code, message: data.message } : data))
  }
  const orders = {
    stop: async (data) => {
      tell('stopped', await worker.stop(data))
      await pawl.close()
      process.disconnect()
    },
    health: async () => tell('health', await worker.health()),
    block: (forMs) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs),
    cpu: () => tell('cpu', process.cpuUsage()),
  }
  process.on('message', ({ what, data }) => orders[what](data))
  await worker.start()
  tell('ready')
}

main(process.argv.slice(2))
