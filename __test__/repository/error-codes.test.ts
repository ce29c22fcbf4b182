import { filesIn, read } from './sources'

describe('error codes', () => {
  const rust = [...read('crates/core/src/error_code.rs').matchAll(/ = "(PAWL_\w+)",/g)].map(([, code]) => code)
  const documented = [...read('docs/ERRORS.md').matchAll(/^#+ `?(PAWL_\w+)`?$/gm)].map(([, code]) => code)

  test('there are some, each once', () => {
    expect(rust.length).toBeGreaterThan(30)
    expect(new Set(rust).size).toBe(rust.length)
  })

  test('docs/ERRORS.md has a section for each, in the same order', () => expect(documented).toEqual(rust))

  test('the public types name each', () => {
    const union = [...read('index.d.ts').matchAll(/^ *\| '(PAWL_\w+)'$/gm)].map(([, code]) => code)
    expect(union).toEqual(rust)
  })

  test('the TypeScript list is the same, in the same order', () => expect(listInTs()).toEqual(rust))

  test('the addon reports the same, in the same order', () => {
    const native = require('../../native/native.js') as { errorCodes(): string[] }
    expect(native.errorCodes()).toEqual(rust)
  })

  test('no source mentions a code that is not in the list', () => {
    const sources = [...filesIn('ts', /\.ts$/), ...filesIn('examples', /\.[cm]?[jt]s$/), 'README.md', 'index.d.ts']
    const unknown = sources.flatMap((file) =>
      codesIn(file)
        .filter((code) => !rust.includes(code))
        .map((code) => `${file}: ${code}`),
    )
    expect(unknown).toEqual([])
  })

  function codesIn(file: string): string[] {
    return [...new Set([...read(file).matchAll(/['"`](PAWL_\w+)['"`]/g)].map(([, code]) => code as string))]
  }

  /** The first file below ts/errors that lists them all. */
  function listInTs(): string[] {
    const lists = filesIn('ts/errors', /\.ts$/).map((file) => codesIn(file))
    return lists.sort((a, b) => b.length - a.length)[0] ?? []
  }
})
