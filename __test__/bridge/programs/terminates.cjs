// Terminates worker threads one after the other while their engines are busy, and prints how much memory that took.
'use strict'
const { Worker, isMainThread, parentPort } = require('node:worker_threads')

const THREAD_COUNT = 30

async function busy() {
  const { line } = require('../line.cjs')
  const { run } = await line({ a: async (x) => x + 1, b: (x) => x + 1 }, { keepAlive: true })
  const forever = async () => {
    for (;;) await run(1)
  }
  for (let at = 0; at < 50; at += 1) forever()
  await run(1)
  parentPort.postMessage('busy')
}

async function main() {
  const memory = []
  for (let at = 0; at < THREAD_COUNT; at += 1) {
    const thread = new Worker(__filename)
    await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
    await thread.terminate()
    memory.push(Math.round(process.memoryUsage().rss / 1024 / 1024))
  }
  console.log(JSON.stringify({ afterFive: memory[4], atTheEnd: memory.at(-1) }))
}

if (isMainThread) main()
else busy()
