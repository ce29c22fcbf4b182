import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { flow, Pawl, PawlError } from 'pawl'

const echo = flow<string>('echo').step('echo', async (text) => text).build() // biome-ignore format: one line
/** Larger than several pages, so that damage hits something. */
const LONG = 'long '.repeat(2_000)

const folder = mkdtempSync(join(tmpdir(), 'pawl-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let lastFile = 0
const path = (name: string) => join(folder, `${++lastFile}-${name}`)

async function refusal(file: string): Promise<PawlError> {
  try {
    await (await Pawl.connect(`sqlite:${file}`)).close()
  } catch (error) {
    if (PawlError.is(error)) return error
    throw error
  }
  throw new Error('it was opened')
}

/** A database with some runs. */
async function database(): Promise<{ file: string; bytes: Buffer }> {
  const file = path('runs.db')
  await using pawl = await Pawl.connect(`sqlite:${file}`)
  for (let at = 0; at < 20; at++) await pawl.run(echo, LONG, { id: `run-${at}` })
  await pawl.close()
  return { file, bytes: readFileSync(file) }
}

describe('a file that is no database', () => {
  test.each([
    ['a long text', 'these are my notes\n'.repeat(1_000)],
    ['a short text', 'API_KEY=secret\n'],
    ['one byte', 'x'],
    ['zeros', '\0'.repeat(8_192)],
  ])('%s is refused and not touched', async (_, text) => {
    const file = path('notes')
    writeFileSync(file, text)
    const error = await refusal(file)
    expect(error).toMatchObject({ code: 'PAWL_STORE_FOREIGN', message: expect.stringContaining(file) })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('a directory is named as one', async () => {
    const file = path('directory')
    mkdirSync(file)
    expect(await refusal(file)).toMatchObject({
      code: 'PAWL_STORE_UNAVAILABLE',
      message: expect.stringMatching(/It is a directory; name a file in it/),
    })
  })

  test('a missing directory is named and not made', async () => {
    const directory = path('nowhere')
    expect(await refusal(join(directory, 'runs.db'))).toMatchObject({
      code: 'PAWL_STORE_UNAVAILABLE',
      message: expect.stringContaining(`The directory "${directory}" does not exist; make it first`),
    })
    expect(existsSync(directory)).toBe(false)
  })

  test('an empty file becomes a database', async () => {
    const file = path('empty')
    writeFileSync(file, '')
    await using pawl = await Pawl.connect(`sqlite:${file}`)
    expect(await pawl.run(echo, 'x')).toMatchObject({ output: 'x' })
  })
})

describe('a database of somebody else', () => {
  test('keeps its tables, and gets those of pawl beside them', async () => {
    const file = path('app.db')
    const app = new Database(file)
    app.exec("CREATE TABLE orders (id TEXT); INSERT INTO orders VALUES ('order-1')")
    await using pawl = await Pawl.connect(`sqlite:${file}`)
    expect(await pawl.run(echo, 'x')).toMatchObject({ output: 'x' })
    app.exec("INSERT INTO orders VALUES ('order-2')")
    expect(app.prepare('SELECT count(*) AS n FROM orders').get()).toMatchObject({ n: 2 })
    const tables = app.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
    expect(tables.map(({ name }) => name).filter((name) => !/^(pawl_|sqlite_)/.test(name))).toEqual(['orders'])
    app.close()
  })

  test('with a table of the same name is refused', async () => {
    const file = path('theirs.db')
    const app = new Database(file)
    app.exec("CREATE TABLE pawl_meta (mine TEXT); INSERT INTO pawl_meta VALUES ('mine')")
    app.close()
    const before = readFileSync(file)
    expect(await refusal(file)).toMatchObject({ code: 'PAWL_STORE_FOREIGN' })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('of a newer pawl is refused with both versions', async () => {
    const { file } = await database()
    const app = new Database(file)
    const [table] = app.prepare("SELECT sql FROM sqlite_master WHERE name = 'pawl_meta'").all() as { sql: string }[]
    expect(table?.sql).toMatch(/name.*value/s)
    app.exec("UPDATE pawl_meta SET value = '999' WHERE name = 'schema_version'")
    app.close()
    expect(await refusal(file)).toMatchObject({ code: 'PAWL_STORE_NEWER', message: expect.stringMatching(/999/) })
  })
})

describe('a damaged database', () => {
  const damage: [string, (bytes: Buffer) => Buffer][] = [
    ['cut in the middle', (bytes) => bytes.subarray(0, 5_000)],
    ['overwritten at the beginning', (bytes) => Buffer.concat([Buffer.alloc(100, 0xab), bytes.subarray(100)])],
    [
      'overwritten in the middle',
      (bytes) => Buffer.concat([bytes.subarray(0, 4_096), Buffer.alloc(20_480, 0xab), bytes.subarray(24_576)]),
    ],
    ['overwritten at the end', (bytes) => Buffer.concat([bytes.subarray(0, 40_960), Buffer.alloc(40_960, 0xab)])],
  ]

  test.each(damage)('%s is refused when it is opened, or at the call that meets the damage', async (_, spoil) => {
    const { file, bytes } = await database()
    writeFileSync(file, spoil(bytes))
    const codes = new Set<string>()
    const meet = async (call: () => Promise<unknown>) => {
      await call().catch((error) => codes.add(PawlError.is(error) ? error.code : String(error)))
    }
    await meet(async () => {
      await using pawl = await Pawl.connect(`sqlite:${file}`)
      await meet(() => pawl.list())
      for (let at = 0; at < 20; at++) await meet(() => pawl.handle(`run-${at}`).result({ timeout: '5s' }))
      await meet(() => pawl.run(echo, 'x'))
    })
    expect([...codes].filter((code) => !/PAWL_STORE_(CORRUPT|FOREIGN)/.test(code))).toEqual([])
    expect(codes.size).toBeGreaterThan(0)
  })
})
