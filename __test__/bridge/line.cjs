'use strict'
const { Engine } = require('../../dist/bridge')

/**
 * A connection with one worker for one flow that is a straight line of nodes. Functions are steps, objects are other
 * nodes: `{ a: fn, nap: { kind: 'delay', forMs: 10 } }`. Used by tests and by the programs they start.
 */
async function line(nodes, { url = 'memory:', keepAlive = false, claimTtlMs = 20_000, budgetMs = 60_000 } = {}) {
  const definition = {
    name: 'line',
    nodes: Object.entries(nodes).map(([name, node]) =>
      typeof node === 'function' ? { scope: '', name, kind: 'step' } : { scope: '', name, ...node },
    ),
  }
  const functions = Object.values(nodes).map((node) => (typeof node === 'function' ? node : undefined))
  const engine = await Engine.connect(url)
  const events = []
  const onEvent = (name, data) => events.push({ name, data })
  const worker = engine.attempts.register({
    flows: [{ name: 'line', nodes: definition.nodes, functions }],
    keepAlive,
    onEvent,
  })
  const names = { claimTtlMs, eventLoopBudgetMs: budgetMs, concurrency: 64, name: `worker of ${process.pid}` }
  await engine.call('workerStart', { worker, flows: [definition], ...names })

  let lastRun = 0
  const start = async (input = 1, id = `run-${++lastRun}`) => {
    await engine.call('start', { flow: 'line', hash: null, id, onConflict: 'fail' }, payload(input))
    return id
  }
  const result = async (id) => {
    const { data, payload } = await engine.call('result', { id, timeoutMs: null })
    return { status: data.status, output: payload && JSON.parse(payload.text), error: data.error }
  }
  const run = async (input) => result(await start(input))
  const health = async () => (await engine.call('health', { worker })).data
  const stop = async (drainMs = 0) => {
    const { data } = await engine.call('workerStop', { worker, drainMs })
    engine.attempts.unregister(worker)
    return data
  }
  return { engine, events, start, result, run, health, stop, close: () => engine.close() }
}

const payload = (value) => ({ codec: 0, text: JSON.stringify(value) })

module.exports = { line }
