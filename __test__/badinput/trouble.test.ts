import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { flow, Pawl, Worker } from 'pawl'
import { until } from '../host/kid'
import { copyPackage } from '../host/package-copy'
import { gate } from '../semantics/rig'

/** As in the program. */
const keep = flow<string>('keep').step('keep', async (text) => text).build() // biome-ignore format: one line

const isRoot = process.getuid?.() === 0

const folder = mkdtempSync(join(tmpdir(), 'pawl-trouble-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program and answers each line it writes, as data. */
function lines(command: string, args: string[], options: object = {}) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options })
  const waiting: ((line: string) => void)[] = []
  const read: string[] = []
  let rest = ''
  let stderr = ''
  const hear = (line: string) => {
    const next = waiting.shift()
    if (next === undefined) read.push(line)
    else next(line)
  }
  child.stderr.on('data', (text) => (stderr += text))
  child.stdout.on('data', (text) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    parts.forEach(hear)
  })
  child.on('close', (code, signal) => hear(JSON.stringify({ closed: code ?? signal, stderr })))
  const next = async (): Promise<any> =>
    JSON.parse(read.shift() ?? (await new Promise<string>((go) => waiting.push(go))))
  return { next, say: () => child.stdin.end('go'), kill: () => child.kill('SIGKILL') }
}

/** A lock that another process holds. */
async function locked(file: string, statements: string) {
  const holder = lines(process.execPath, [resolve(__dirname, 'holder.cjs'), file, statements])
  expect(await holder.next()).toBe('locked')
  const letGo = async () => {
    holder.say()
    expect(await holder.next()).toBe('free')
  }
  return { letGo }
}

const writer = resolve(__dirname, 'writer.cjs')

test('a disk that takes no more: the start is refused, and all that was acknowledged is there', async () => {
  const file = join(folder, 'full.db')
  const program = lines('bash', ['-c', 'ulimit -f 1000; trap "" XFSZ; exec "$0" "$@"', process.execPath, writer, file])
  const told = await program.next()
  expect(told.code).toMatch(/^PAWL_STORE_(FULL|UNAVAILABLE)$/)
  expect(told.message).toContain(file)
  program.kill()
  // With room again, in this process, all of them are found.
  const pawl = await Pawl.connect(`sqlite:${file}`)
  const found = (await pawl.list({ limit: 1_000 })).runs.map(({ id }) => id)
  await pawl.close()
  expect(found.sort()).toEqual(told.acknowledged.sort())
  const app = new Database(file)
  expect(app.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
  app.close()
})

describe('a file that another process has locked', () => {
  test('for a while is waited for: nobody notices but by the time', async () => {
    const file = join(folder, 'locked.db')
    await using pawl = await Pawl.connect(`sqlite:${file}`)
    await using worker = new Worker(pawl, { flows: [keep] })
    const failed = jest.fn()
    worker.on('error', failed)
    await worker.start()
    const holder = await locked(file, 'BEGIN IMMEDIATE')
    const run = pawl.start(keep, 'x')
    expect(await Promise.race([run, sleep(1_000, 'waiting')])).toBe('waiting')
    await holder.letGo()
    expect(await (await run).result()).toBe('x')
    expect(failed).not.toHaveBeenCalled()
  })

  test('for long is told to the caller and in health, and no worker ends by it', async () => {
    const file = join(folder, 'locked-long.db')
    await using pawl = await Pawl.connect(`sqlite:${file}`)
    const { open, opened } = gate()
    const slow = flow<string>('slow').step('slow', async (text) => opened.then(() => text)).build() // biome-ignore format: one line
    await using worker = new Worker(pawl, { flows: [slow, keep] })
    const recovered = gate()
    worker.on('error', ({ code }) => expect(code).toBe('PAWL_STORE_BUSY'))
    worker.on('storeRecovered', () => recovered.open())
    await worker.start()
    const early = await pawl.start(slow, 'kept')
    await until('the step has begun', async () => (await worker.health()).running.length === 1)
    const holder = await locked(file, 'BEGIN IMMEDIATE')
    open()
    await expect(pawl.start(keep, 'x', { id: 'refused' })).rejects.toMatchObject({
      code: 'PAWL_STORE_BUSY',
      message: expect.stringContaining(file),
    })
    await until('health tells', async () => (await worker.health()).state === 'degraded')
    // Reading goes on beside the lock.
    expect(await early.status()).toMatchObject({ status: 'running' })
    await holder.letGo()
    await recovered.opened
    expect(await early.result()).toBe('kept')
    expect((await early.history()).filter(({ kind }) => kind === 'attemptLost')).toEqual([])
    await expect(pawl.get('refused')).rejects.toMatchObject({ code: 'PAWL_RUN_NOT_FOUND' })
    expect(await (await pawl.start(keep, 'y')).result()).toBe('y')
    await until('health tells', async () => (await worker.health()).state === 'ok')
  })

  test('is refused when it is locked for everybody', async () => {
    const file = join(folder, 'exclusive.db')
    await (await Pawl.connect(`sqlite:${file}`)).close()
    const holder = await locked(file, 'PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    await expect(Pawl.connect(`sqlite:${file}`)).rejects.toMatchObject({ code: 'PAWL_STORE_BUSY' })
    await holder.letGo()
    await (await Pawl.connect(`sqlite:${file}`)).close()
  })
})

test('a database that is deleted under a worker is told, and nothing is acknowledged into nowhere', async () => {
  const file = join(folder, 'deleted.db')
  await using pawl = await Pawl.connect(`sqlite:${file}`)
  await pawl.run(keep, 'x')
  rmSync(file)
  await expect(pawl.start(keep, 'x')).rejects.toMatchObject({
    code: 'PAWL_STORE_UNAVAILABLE',
    message: expect.stringMatching(/was deleted, moved or replaced/),
  })
})

test('a file that may only be read is refused, and says which rights are missing', async () => {
  const place = join(folder, 'readonly')
  const pawl = copyPackage(place)
  const file = join(place, 'runs.db')
  await (await Pawl.connect(`sqlite:${file}`)).close()
  chmodSync(file, 0o444)
  for (const open of [tmpdir(), folder]) if (isRoot) chmodSync(open, statSync(open).mode | 0o555)
  // Nothing is forbidden to root, so it asks as the user who owns nothing.
  const connect = `require(${JSON.stringify(pawl)}).Pawl.connect(${JSON.stringify(`sqlite:${file}`)})
    .then(() => ({ code: 'opened' }), ({ code, message }) => ({ code, message })).then((told) => console.log(JSON.stringify(told)))`
  const nobody = isRoot ? { uid: 65_534, gid: 65_534, cwd: '/' } : {}
  expect(await lines(process.execPath, ['-e', connect], nobody).next()).toMatchObject({
    code: 'PAWL_STORE_READ_ONLY',
    message: expect.stringMatching(/write permission on the file and on its directory/),
  })
})
