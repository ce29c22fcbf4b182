/** The order service as its users meet it: a process of its own, spoken to over HTTP. */
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { startChild } = require('../support/child.cjs')
const { tempFolder } = require('../support/temp-folder.cjs')

const folder = tempFolder('orders')
const ledger = join(folder, 'ledger.jsonl')
const items = [{ sku: 'loom', quantity: 2, cents: 1250 }]

let server
let url

/** Starts the service on the same files each time. */
async function startServer(env = {}) {
  server = startChild(join(__dirname, 'server.mjs'), [], {
    env: { PORT: '0', DB: join(folder, 'orders.db'), LEDGER: ledger, COOL_OFF: '300ms', ...env },
  })
  url = (await server.line(/orders at (http:\S+)/))[1]
}

async function stopServer() {
  server.kill('SIGTERM')
  return server.ended
}

async function call(method, path, body, headers = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const get = (path) => call('GET', path)
const post = (path, body, headers) => call('POST', path, body, headers)
const order = (id) => post('', { id, email: `${id}@example.org`, items })
const chargesOf = (id) =>
  (existsSync(ledger) ? readFileSync(ledger, 'utf8') : '')
    .split('\n')
    .filter((line) => line.includes(`"order":"${id}"`))

beforeAll(() => startServer())
afterAll(() => stopServer())

test('an approved order goes all the way', async () => {
  const started = await order('good')
  expect(started.status).toBe(202)
  expect(started.headers.get('location')).toBe('/orders/good')

  await post('/good/approval', { by: 'ops' })
  const result = await get('/good/result')
  expect(result).toMatchObject({
    status: 200,
    body: { order: 'good', parcel: 'parcel-good', cents: 2500, approvedBy: 'ops' },
  })
  expect((await get('/good')).body).toMatchObject({ status: 'completed' })
  expect(chargesOf('good')).toHaveLength(1)
})

test('an approval sent twice with one key counts once', async () => {
  await order('twice')
  const key = { 'Idempotency-Key': 'k1' }
  expect((await post('/twice/approval', { by: 'first' }, key)).body).toEqual({ duplicate: false })
  expect((await post('/twice/approval', { by: 'second' }, key)).body).toEqual({ duplicate: true })
  expect((await get('/twice/result')).body.approvedBy).toBe('first')
})

test('an order that nobody approves is awaited, and can be cancelled for good', async () => {
  await order('parked')
  const cancelled = await post('/parked/cancel', { reason: 'changed their mind', by: 'customer' })
  expect(cancelled).toMatchObject({
    status: 200,
    body: { status: 'cancelled', reason: 'changed their mind', by: 'customer' },
  })
  expect(await get('/parked/result')).toMatchObject({ status: 410, body: { code: 'PAWL_RUN_CANCELLED' } })
  expect(await post('/parked/approval', { by: 'ops' })).toMatchObject({ status: 409, body: { code: 'PAWL_RUN_ENDED' } })
})

test('an order that is not valid fails, says why, and is not charged', async () => {
  await post('', { id: 'empty', email: 'nobody', items: [] })
  const result = await get('/empty/result')
  expect(result).toMatchObject({ status: 422, body: { code: 'PAWL_RUN_FAILED' } })
  expect((await get('/empty')).body).toMatchObject({ status: 'failed' })
  expect(chargesOf('empty')).toHaveLength(0)
})

test('what pawl refuses becomes the fitting HTTP status', async () => {
  await order('once')
  expect(await order('once')).toMatchObject({ status: 409, body: { code: 'PAWL_RUN_EXISTS' } })
  expect(await get('/nobody')).toMatchObject({ status: 404, body: { code: 'PAWL_RUN_NOT_FOUND' } })
  expect(await post('', { id: '', items })).toMatchObject({ status: 400 })
  expect(await get('?status=asleep')).toMatchObject({ status: 400 })
  expect(await get('/once/result?timeout=20ms')).toMatchObject({ status: 504, body: { code: 'PAWL_RESULT_TIMEOUT' } })
})

test('orders are listed page by page, by status', async () => {
  const first = await get('?status=completed&limit=1')
  expect(first.body.runs).toHaveLength(1)
  const rest = await get(`?status=completed&limit=50&cursor=${encodeURIComponent(first.body.cursor)}`)
  const ids = [...first.body.runs, ...rest.body.runs].map(({ id }) => id)
  expect(ids.sort()).toEqual(['good', 'twice'])
})

test('SIGTERM drains it, and a new process goes on with what was waiting', async () => {
  await order('patient')
  expect(await (await fetch(new URL('/health', url))).json()).toMatchObject({ state: 'ok' })
  expect(await stopServer()).toEqual({ code: 0, signal: null })
  expect(server.output()).toContain('drained')

  await startServer()
  await post('/patient/approval', { by: 'next shift' })
  expect((await get('/patient/result')).body.approvedBy).toBe('next shift')
  expect(chargesOf('patient')).toHaveLength(1)
})

test('without an approval in time it goes on and says so', async () => {
  await stopServer()
  await startServer({ APPROVAL_TIMEOUT: '50ms' })
  await order('ignored')
  expect((await get('/ignored/result')).body.approvedBy).toBeNull()
})
