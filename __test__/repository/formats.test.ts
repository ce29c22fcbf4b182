import { read } from './sources'

/** The numbers that docs/FORMATS.md gives in the table whose second heading starts with `heading`. */
function table(heading: string): number[] {
  const [, rows = ''] =
    new RegExp(`^\\| number \\| ${heading}.*\\n\\|[-| ]+\\n((?:\\|.*\\n?)+)`, 'm').exec(read('docs/FORMATS.md')) ?? []
  return [...rows.matchAll(/^\| (\d+) /gm)].map(([, number]) => Number(number))
}

const numbers = (source: string, pattern: RegExp): number[] =>
  [...source.matchAll(pattern)].map(([, number]) => Number(number))

describe('docs/FORMATS.md', () => {
  test('lists the stored numbers of history events', () => {
    const [, kinds = ''] = /pub enum HistoryKind \{([\s\S]*?)^\}/m.exec(read('crates/core/src/commit.rs')) ?? []
    expect(table('event')).toEqual(numbers(kinds, /\w+ = (\d+),/g))
  })

  test('lists the stored numbers of run states', () => {
    expect(table('state')).toEqual(
      numbers(read('crates/core/src/run/mod.rs'), /RunState::\w+(?: \{ \.\. \}|\(_\))? => (\d+),/g),
    )
  })

  test('lists the tags of values', () => {
    const source = read('ts/codec/decode.ts')
    const [, revivers = ''] = /const REVIVERS[^{]*\{([\s\S]*?)^\}/m.exec(source) ?? []
    const tags = [...revivers.matchAll(/^ {2}(\w+): \(/gm)].map(([, tag]) => tag as string)
    expect(tags.length).toBeGreaterThan(8)
    const page = read('docs/FORMATS.md')
    expect(tags.filter((tag) => !page.includes(`\`${tag}\``))).toEqual([])
  })
})
