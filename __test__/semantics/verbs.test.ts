import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rig, STORES, WAYS } from './rig'
import { verbs } from './verbs'

const PAGE = join(__dirname, '../../docs/VERBS.md')
const COLUMNS = STORES.flatMap((store) => WAYS.map((way) => ({ store, way, title: `${store} · ${way}` })))

/** Every verb gives the same result on every store and in both ways of running. The table is made by this run. */
describe('every verb, on every store, in both ways of running', () => {
  const green = new Set<string>()

  for (const [verb, play] of Object.entries(verbs)) {
    describe(verb, () => {
      test.each(COLUMNS)('$title', async ({ store, way, title }) => {
        const stage = await rig(store, way)
        try {
          await play(stage)
        } finally {
          await stage.close()
        }
        green.add(`${verb} | ${title}`)
      })
    })
  }

  test('docs/VERBS.md shows the table that this run has made', () => {
    const made = page(green)
    if (process.env.PAWL_UPDATE_DOCS) writeFileSync(PAGE, made)
    expect(made).toBe(readFileSync(PAGE, 'utf8'))
  })
})

function page(green: ReadonlySet<string>): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  const titles = COLUMNS.map((column) => column.title)
  const lines = Object.keys(verbs).map((verb) =>
    row([verb, ...titles.map((title) => (green.has(`${verb} | ${title}`) ? '✓' : '✗'))]),
  )
  return [
    '# Every verb, on every store, in both ways of running',
    '',
    'Made by `__test__/semantics/verbs.test.ts`, which plays each row on each column and fails if this page says anything else.',
    'After a change of the rows: `PAWL_UPDATE_DOCS=1 npx jest __test__/semantics`.',
    '',
    row(['verb', ...titles]),
    row(['---', ...titles.map(() => ':-:')]),
    ...lines,
    '',
  ].join('\n')
}
