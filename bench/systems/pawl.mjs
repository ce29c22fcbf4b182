/** pawl as a user would run it: one client, one worker, default durability. */
import { flow, Pawl, Worker } from 'pawl'
import { addOne } from './step.mjs'

/** Enough that all 100 branches of a fork, or all 100 runs in flight, can be in JavaScript at once. */
const CONCURRENCY = 128
const PAGE = 1_000

/**
 * @param {import('./index.mjs').Place} place
 * @returns {Promise<import('./index.mjs').System>}
 */
export async function openPawl({ file, shape }) {
  const chains = new Map(shape.chains.map((steps) => [steps, chainFlow(steps)]))
  const fans = new Map(shape.fans.map((width) => [width, fanFlow(width)]))
  const sleeper = sleeperFlow()

  const pawl = await Pawl.connect(file === null ? 'memory:' : `sqlite:${file}`)
  const worker = new Worker(pawl, { flows: [...chains.values(), ...fans.values(), sleeper], concurrency: CONCURRENCY })
  await worker.start()

  return {
    async chain(id, steps, input) {
      const run = await pawl.start(chains.get(steps), input, { id })
      return run.result()
    },
    async fan(id, width, input) {
      const run = await pawl.start(fans.get(width), input, { id })
      return run.result()
    },
    async sleep(id) {
      const run = await pawl.start(sleeper, 0, { id })
      if (run.id !== id) throw new Error(`asked for a run "${id}", got "${run.id}"`)
    },
    sleeping: () => countWaiting(pawl, sleeper),
    async close() {
      await worker.stop({ drain: '5s' })
      await pawl.close()
    },
  }
}

/** @param {number} steps */
function chainFlow(steps) {
  let builder = flow(`chain-${steps}`)
  for (let node = 0; node < steps; node++) builder = builder.step(`s${node}`, addOne)
  return builder.build()
}

/** @param {number} width */
function fanFlow(width) {
  const branches = Object.fromEntries(Array.from({ length: width }, (_, at) => [`b${at}`, addOneIn]))
  return flow(`fan-${width}`)
    .fork(branches)
    .join('sum', (/** @type {Record<string, number>} */ outputs) => Object.values(outputs).reduce((a, b) => a + b, 0))
    .build()
}

const addOneIn = (/** @type {any} */ branch) => branch.step('add', addOne)

const sleeperFlow = () => flow('sleeper').delay('nap', '1h').step('wake', addOne).build()

async function countWaiting(/** @type {Pawl} */ pawl, /** @type {any} */ sleeper) {
  let count = 0
  for await (const _run of await pawl.list({ flow: sleeper, status: 'waiting', limit: PAGE })) count += 1
  return count
}
