import { posix } from 'node:path'
import { filesIn, read } from './sources'

/** Each folder of ts/ and the folders it may import from, besides itself. What is missing here may be imported by nobody. */
const MAY_IMPORT: Record<string, string[]> = {}

describe('ts/', () => {
  const files = filesIn('ts', /\.ts$/)
  const imports = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })))

  test('only the bridge loads the addon', () => {
    const loaders = imports.filter(({ target }) => target.startsWith('native/') || target.endsWith('.node'))
    expect(loaders.filter(({ file }) => folderOf(file) !== 'bridge')).toEqual([])
  })

  test.each(Object.entries(MAY_IMPORT))('ts/%s imports only what lies below it', (folder, allowed) => {
    const upward = imports.filter(
      ({ file, target }) =>
        folderOf(file) === folder && inTs(target) && ![folder, ...allowed].includes(folderOf(target)),
    )
    expect(upward).toEqual([])
  })

  test('nothing is imported from npm', () => {
    expect(
      imports.filter(({ target }) => !inTs(target) && !target.startsWith('native/') && !target.startsWith('node:')),
    ).toEqual([])
  })

  test('every folder has its place in the layers', () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => folder !== '').sort()).toEqual(
      Object.keys(MAY_IMPORT).sort(),
    )
  })
})

/** `ts/bridge/engine.ts` stands in `bridge`, `ts/index.ts` in `` (the roof). */
function folderOf(path: string): string {
  const [, folder, rest] = path.split('/')
  return rest === undefined ? '' : (folder as string)
}

const inTs = (target: string): boolean => target.startsWith('ts/')

/** What a file imports, as paths from the root. */
function importsOf(file: string): string[] {
  const source = read(file).replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
  const specifiers = [...source.matchAll(/(?:\bfrom\s*|\brequire\(\s*|\bimport\s*\(?\s*)'([^']+)'/g)]
  return specifiers.map(([, specifier = '']) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier,
  )
}
