/** The HTTP side. Every route is a sentence to pawl; Express 5 hands a rejected promise to `answerError`. */
import express from 'express'
import { answerError } from './http-errors.mjs'

/**
 * @param {import('pawl').Pawl} pawl
 * @param {import('pawl').Worker} worker
 * @param {ReturnType<typeof import('./flow.mjs').orderFlow>} orders
 */
export function orderApp(pawl, worker, orders) {
  const app = express()
  app.use(express.json())

  app.post('/orders', async (request, response) => {
    const order = request.body ?? {}
    const run = await pawl.start(orders, order, { id: order.id })
    response
      .status(202)
      .location(`/orders/${encodeURIComponent(run.id)}`)
      .json({ id: run.id })
  })

  app.get('/orders', async ({ query }, response) => {
    const { status, cursor } = query
    const page = await pawl.list({ flow: orders, status, cursor, limit: Number(query.limit ?? 50) })
    response.json({ runs: page.runs, cursor: page.cursor })
  })

  app.get('/orders/:id', async ({ params }, response) => {
    response.json(await pawl.handle(params.id).status())
  })

  app.get('/orders/:id/result', async ({ params, query }, response) => {
    response.json(await pawl.handle(params.id).result({ timeout: query.timeout ?? '30s' }))
  })

  app.post('/orders/:id/approval', async (request, response) => {
    const { duplicate } = await pawl
      .handle(request.params.id)
      .signal('approval', request.body, { key: request.get('Idempotency-Key') })
    response.status(202).json({ duplicate })
  })

  app.post('/orders/:id/cancel', async ({ params, body }, response) => {
    await pawl.handle(params.id).cancel({ reason: body?.reason, by: body?.by })
    response.json(await pawl.handle(params.id).status())
  })

  app.get('/health', async (_request, response) => {
    const health = await worker.health()
    response.status(health.state === 'ok' ? 200 : 503).json(health)
  })

  app.use(answerError)
  return app
}
