/** What pawl itself knows about a state that a process left behind. Needs no worker: a client reads it. */
import { fileURLToPath } from 'node:url'
import { Pawl } from 'pawl'

/**
 * @param {string} database
 * @returns {Promise<{ completed: string[], open: string[], steps: Set<string> }>} run ids, and `step path` of every stored step
 */
export async function storedSteps(database) {
  const pawl = await Pawl.connect(`sqlite:${database}`)
  const found = { completed: [], open: [], steps: new Set() }
  for await (const { id, status } of await pawl.list({ flow: 'ingest' })) {
    found[status === 'completed' ? 'completed' : 'open'].push(id)
    for (const { kind, node } of await pawl.handle(id).history()) {
      if (kind === 'nodeCompleted') found.steps.add(`${node.split('/').at(-1)} ${fileURLToPath(id)}`)
    }
  }
  await pawl.close()
  return found
}
