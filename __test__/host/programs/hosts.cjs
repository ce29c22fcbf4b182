// A program that uses pawl in the way its argument says, and ends, or is ended, as programs are.
'use strict'
const { EventEmitter } = require('node:events')
const signals = () =>
  ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'uncaughtException', 'unhandledRejection'].map((name) =>
    process.listenerCount(name),
  )
const before = signals()
const { flow, Pawl, Worker } = require('../../../dist')

process.on('warning', (warning) => console.error(`${warning.name}: ${warning.message}`))

const file = process.argv[3]
const quick = flow('quick').step('quick', async (n) => n).build() // biome-ignore format: one line
const hung = flow('hung').step('hung', () => new Promise(() => {})).build() // biome-ignore format: one line
const failing = flow('failing').step('fail', () => { throw new Error('no') }).build() // biome-ignore format: one line

async function working(flows = [quick, hung]) {
  const pawl = await Pawl.connect(`sqlite:${file}`)
  const worker = new Worker(pawl, { flows })
  await worker.start()
  return { pawl, worker }
}

async function busy() {
  const here = await working()
  for (let at = 0; at < 20; at += 1) await here.pawl.start(hung, undefined)
  while ((await here.worker.health()).running.length < 20) await new Promise((resolve) => setTimeout(resolve, 5))
  return here
}

const ways = {
  'import only': () => {},
  async 'connect only'() {
    await Pawl.connect(`sqlite:${file}`)
  },
  async 'connect and close'() {
    await (await Pawl.connect(`sqlite:${file}`)).close()
  },
  async 'a failed connect'() {
    await Pawl.connect(`sqlite:${file}/nowhere/runs.db`).catch((error) => console.log(error.code))
  },
  async 'a run'() {
    const pawl = await Pawl.connect(`sqlite:${file}`)
    console.log((await pawl.run(quick, 5)).output)
  },
  async 'a failing run'() {
    const pawl = await Pawl.connect(`sqlite:${file}`)
    console.log((await pawl.run(failing, 5)).status)
  },
  async 'start and stop'() {
    const { worker, pawl } = await working()
    await worker.stop()
    await pawl.close()
  },
  async 'stop with a hung step'() {
    const { worker, pawl } = await busy()
    console.log((await worker.stop({ drain: 50 })).abandoned.length)
    await pawl.close()
  },
  async 'close under a busy worker'() {
    const { pawl } = await busy()
    await pawl.close()
  },
  async 'no handler is added'() {
    const { worker, pawl } = await working()
    console.log(JSON.stringify(signals()) === JSON.stringify(before) || signals())
    await worker.stop()
    await pawl.close()
    console.log(JSON.stringify(signals()) === JSON.stringify(before) || signals())
  },
  async 'process.exit(7)'() {
    await busy()
    process.exit(7)
  },
  async 'an uncaught exception'() {
    await busy()
    setImmediate(() => {
      throw new Error('of the program')
    })
  },
  async 'a rejection nobody handles'() {
    const { pawl } = await busy()
    // The program's own mistake: Node ends it, as it does for any promise.
    pawl.get('nobody')
  },
  async 'waits for a signal of the system'() {
    await busy()
    console.log('busy')
  },
  'is signalled while it starts'() {
    working()
    process.kill(process.pid, 'SIGINT')
  },
  async 'a thousand steps listen to ctx.signal'() {
    const pawl = await Pawl.connect('memory:')
    const outer = new EventEmitter()
    const listening = flow('listening').step('listen', async (n, ctx) => {
      ctx.signal.addEventListener('abort', () => outer.emit('never'))
      for (let at = 0; at < 20; at += 1) ctx.signal.throwIfAborted()
      return AbortSignal.any([ctx.signal]).aborted ? -1 : n
    }).build() // biome-ignore format: one line
    const worker = new Worker(pawl, { flows: [listening], concurrency: 100 })
    await worker.start()
    const runs = await Promise.all(Array.from({ length: 1_000 }, (_, n) => pawl.start(listening, n)))
    console.log((await Promise.all(runs.map((run) => run.result()))).length)
    await worker.stop()
    await pawl.close()
  },
  async 'calls that are not awaited fail quietly where they should'() {
    const { pawl, worker } = await busy()
    // Each of these promises is looked at; none of the engine's own may come up beside them.
    const calls = [
      pawl.handle('nobody').result(),
      pawl.start(quick, () => {}),
      worker.stop({ drian: 1 }),
      pawl.close(),
      worker.stop(),
    ]
    console.log((await Promise.allSettled(calls)).map(({ status }) => status).join())
  },
}

ways[process.argv[2]]()
