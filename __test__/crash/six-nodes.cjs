/**
 * The flow that is struck at every boundary, and the process that works on it. Each function writes a line when it begins,
 * tells its parent, and waits at its gate; a gate opens when the parent says so, or stands open from the start.
 */
const { appendFileSync } = require('node:fs')
const { flow, Pawl, Worker } = require('pawl')

const [database, lines, way, open] = process.argv.slice(2)

const gates = new Map()
const gate = (name) => {
  if (!gates.has(name)) {
    let release
    const released = new Promise((resolve) => {
      release = resolve
    })
    gates.set(name, { release, released })
  }
  return gates.get(name)
}

const body = (name, result) => async (input, ctx) => {
  appendFileSync(lines, `${JSON.stringify({ name, pid: process.pid, attempt: ctx.attempt })}\n`)
  process.send?.({ entered: name })
  ctx.signal.addEventListener('abort', () => process.send?.({ aborted: name, code: ctx.signal.reason.code }))
  if (open !== 'open') await gate(name).released
  return result(input)
}

const six = flow('six nodes')
  .step(
    'a',
    body('a', (n) => n + 1),
  )
  .fork({
    left: (f) =>
      f.step(
        'b',
        body('b', (n) => n * 10),
      ),
    right: (f) => f.delay('c', 50),
  })
  .join(
    'd',
    body('d', ({ left, right }) => ({ left, right })),
  )
  .signal('e')
  .step(
    'f',
    body('f', (word) => ({ word, by: process.pid })),
  )
  .build()

async function main() {
  const pawl = await Pawl.connect(`sqlite:${database}`)
  const options = { flows: [six], claimTtl: '1s' }
  process.on('message', async (message) => {
    if (message.go) gate(message.go).release()
    if (message === 'stop') {
      await worker?.stop({ drain: 0 })
      await pawl.close()
      process.disconnect()
    }
  })
  let worker
  if (way === 'Worker') {
    worker = new Worker(pawl, options)
    await worker.start()
  } else {
    const drive = async () => {
      for (;;) {
        const status = await pawl.resume('the-run', options)
        if (!['running', 'waiting', 'awaitingSignal'].includes(status.status)) return
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    drive().catch((error) => {
      if (error.code !== 'PAWL_CLOSED') throw error
    })
  }
  process.send?.({ ready: true })
}

module.exports = { six }
if (require.main === module) main()
