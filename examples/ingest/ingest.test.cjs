/** Ingest on a small folder: what it learns, and that starting it again changes nothing. */
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const { createHash } = require('node:crypto')
const { basename, join } = require('node:path')
const Database = require('libsql')
const { startChild } = require('../support/child.cjs')
const { tempFolder } = require('../support/temp-folder.cjs')

const FILES = {
  'people.csv': 'name,age,note\nAda,36,"said ""yes"", then\nno"\nBob,,\n',
  'cities.tsv': 'city\tpeople\nUlm\t126000\nBonn\t331000\n',
  'deep/points.json': '[{"x":1,"y":-2},{"x":3}]',
  'deep/a file.bin': '\u0000\u0001',
}

const folder = tempFolder('ingest')
const data = join(folder, 'data')
const state = join(folder, 'state')
const effects = join(folder, 'effects.jsonl')

beforeAll(() => {
  mkdirSync(join(data, 'deep'), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(data, name), text)
})

async function ingest() {
  const child = startChild(join(__dirname, 'main.mjs'), [data, '--state', state, '--effects', effects])
  return { ...(await child.ended), output: child.output() }
}

function catalogue() {
  const db = new Database(join(state, 'catalogue.db'), { readonly: true })
  const rows = db.prepare('SELECT * FROM files ORDER BY path').all()
  db.close()
  return Object.fromEntries(rows.map((row) => [basename(row.path), { ...row, fields: JSON.parse(row.fields) }]))
}

test('every file of the folder is read, counted and indexed', async () => {
  const { code, output } = await ingest()
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('4 of 4 files') })

  const found = catalogue()
  expect(found['people.csv']).toMatchObject({
    format: 'csv',
    records: 2,
    fields: [{ name: 'name' }, { name: 'age', min: 36, max: 36, mean: 36 }, { name: 'note' }],
  })
  expect(found['cities.tsv'].fields[1]).toEqual({ name: 'people', min: 126000, max: 331000, mean: 228500 })
  expect(found['points.json']).toMatchObject({
    records: 2,
    fields: [
      { name: 'x', mean: 2 },
      { name: 'y', mean: -2 },
    ],
  })
  expect(found['a file.bin']).toMatchObject({ records: null, bytes: 2 })
  for (const [name, text] of Object.entries(FILES)) {
    expect(found[basename(name)].sha256).toBe(createHash('sha256').update(text).digest('hex'))
  }
})

test('started again, it does nothing twice', async () => {
  const before = readFileSync(effects, 'utf8')
  const { code } = await ingest()
  expect(code).toBe(0)
  expect(readFileSync(effects, 'utf8')).toBe(before)
})

test('a new file is taken, a broken one is named, and neither holds up the other', async () => {
  writeFileSync(join(data, 'broken.json'), '{"x":')
  writeFileSync(join(data, 'new.json'), '[1,2,3]')
  const { code, output } = await ingest()
  expect(code).toBe(1)
  expect(output).toContain('5 of 6 files')
  expect(output).toMatch(/broken\.json.*not JSON/)
  expect(catalogue()['new.json'].records).toBe(3)
})
