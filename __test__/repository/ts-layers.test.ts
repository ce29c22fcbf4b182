import { posix } from 'node:path'
import { filesIn, read } from './sources'

/**
 * Each folder of ts/ and the folders it may import from, besides itself. `errors` and `options` are the floor and lean on
 * each other: a wrong option is an error, and one error takes a duration. `native` is the addon's types, a file without code.
 */
const MAY_IMPORT: Record<string, string[]> = {
  errors: ['options'],
  options: ['errors'],
  codec: ['errors', 'options'],
  schema: ['errors', 'options', 'codec'],
  bridge: ['errors', 'options', 'codec', 'schema', 'native'],
  flow: ['errors', 'options', 'schema', 'bridge'],
  client: ['errors', 'options', 'codec', 'schema', 'bridge', 'flow'],
  worker: ['errors', 'options', 'codec', 'bridge', 'flow', 'client'],
}

describe('ts/', () => {
  const files = filesIn('ts', /\.ts$/)
  const imports = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })))

  test('only the bridge loads the addon', () => {
    expect(files.filter((file) => /native\.js\b/.test(read(file)))).toEqual(['ts/bridge/load.ts'])
  })

  test.each(Object.entries(MAY_IMPORT))('ts/%s imports only what lies below it', (folder, allowed) => {
    const upward = imports.filter(
      ({ file, target }) =>
        folderOf(file) === folder && inTs(target) && ![folder, ...allowed].includes(folderOf(target)),
    )
    expect(upward).toEqual([])
  })

  test('nothing is imported but its own files, the public types and Node', () => {
    const foreign = imports.filter(({ target }) => !inTs(target) && target !== 'index' && !target.startsWith('node:'))
    expect(foreign).toEqual([])
  })

  test('every folder has its place in the layers', () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => !['', 'native'].includes(folder)).sort()).toEqual(
      Object.keys(MAY_IMPORT).sort(),
    )
  })
})

/** What everything comes together in. */
const ROOF = ['index', 'contract']

/** `ts/bridge/engine.ts` stands in `bridge`, and so does an import of `ts/bridge`; the roof stands in no folder. */
function folderOf(path: string): string {
  const [, folder = ''] = path.replace(/\.ts$/, '').split('/')
  return ROOF.includes(folder) ? '' : folder
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
