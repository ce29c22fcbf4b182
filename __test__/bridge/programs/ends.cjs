// How a program ends that uses the bridge in the way its argument says.
'use strict'
const { line } = require('../line.cjs')

const ways = {
  async closed() {
    const { run, close } = await line({ add: (x) => x + 1 }, { keepAlive: true })
    console.log((await run(1)).output)
    await close()
  },
  async 'not closed'() {
    const { run } = await line({ add: (x) => x + 1 })
    console.log((await run(1)).output)
  },
  async 'waiting for a result'() {
    // The delay is a timer of the engine's: nothing on the JavaScript side keeps the process alive but the promise.
    const { run } = await line({ nap: { kind: 'delay', forMs: 300 }, add: (x) => x + 1 })
    console.log((await run(1)).output)
  },
  async 'kept alive by its worker'() {
    const { stop } = await line({ add: (x) => x + 1 }, { keepAlive: true })
    // Unreferenced: it fires only if something else keeps the process alive.
    setTimeout(async () => console.log(await stop()), 300).unref()
  },
  async 'process.exit with work in flight'() {
    const { start } = await line({ wait: () => new Promise(() => {}) }, { keepAlive: true })
    await Promise.all(Array.from({ length: 1_000 }, () => start()))
    process.exit(7)
  },
  async 'an uncaught exception with work in flight'() {
    const { start } = await line({ wait: () => new Promise(() => {}) }, { keepAlive: true })
    await Promise.all(Array.from({ length: 100 }, () => start()))
    setImmediate(() => {
      throw new Error('of the program')
    })
  },
}

ways[process.argv[2]]()
