'use strict'
const { flow } = require('../../../dist')

/** Flows that tell a parent process what their steps do. `tell` goes to the parent, or to whoever is given. */
function flowsOf(tell) {
  const told = (what) => async (input, ctx) => {
    tell(what, { runId: ctx.runId, attempt: ctx.attempt })
    return input
  }
  return {
    quick: flow('quick').step('quick', told('quick')).build(),
    asking: flow('asking').signal('go').step('went', told('went')).build(),
    /** Runs until it is aborted, and tells why. */
    endless: flow('endless')
      .step('endless', async (_, ctx) => {
        tell('endless', { runId: ctx.runId, attempt: ctx.attempt })
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        tell('aborted', { runId: ctx.runId, code: ctx.signal.reason.code })
        throw ctx.signal.reason
      })
      .build(),
    /** Takes as many milliseconds as its input says. */
    slow: flow('slow')
      .step('slow', async (forMs, ctx) => {
        tell('slow', { runId: ctx.runId, attempt: ctx.attempt })
        await new Promise((resolve) => setTimeout(resolve, forMs))
        return forMs
      })
      .build(),
    /** Ends the process that runs it. */
    poison: flow('poison')
      .step('poison', (_, ctx) => {
        tell('poison', { runId: ctx.runId, attempt: ctx.attempt })
        process.exit(1)
      })
      .build(),
  }
}

module.exports = { flowsOf }
