import { homedir } from 'node:os'
import { filesIn, type Line, linesMatching, read, root } from './sources'

/** A file that is longer holds more than one subject. */
const LINES_MAX = 500

/** The public contract is one page, read from top to bottom. */
const CONTRACT = 'index.d.ts'

const TEXT = /\.(rs|ts|mts|cts|js|mjs|cjs|json|toml|md|sql|sh|yml|yaml)$/

describe('files', () => {
  const files = filesIn('', TEXT).filter((file) => !/(^|\/)package-lock\.json$/.test(file))

  test(`none of the code has more than ${LINES_MAX} lines`, () => {
    const code = files.filter((file) => !/\.(md|json)$/.test(file) && file !== CONTRACT)
    const long = code
      .map((file) => ({ file, lines: read(file).split('\n').length }))
      .filter(({ lines }) => lines > LINES_MAX)
    expect(long).toEqual([])
  })

  test('no file knows the machine it was written on', () => {
    const places = [root, homedir()].filter((place) => place.split('/').length > 2 || place === root)
    const pattern = new RegExp(places.map((place) => `${literally(place)}\\b`).join('|'))
    expect(files.flatMap((file) => linesMatching(file, pattern))).toEqual([])
  })

  test('nothing is left for later', () => {
    const pattern = new RegExp(
      `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b|\\b(todo|unimplemented)!\\(`,
    )
    expect(files.flatMap((file) => linesMatching(file, pattern))).toEqual([])
  })

  test('no test is switched off', () => {
    const pattern = /\b(test|it|describe)\.(skip|only|todo)\b|^(xit|xtest|xdescribe|fit|fdescribe)\(|#\[ignore/
    const tests = files.filter((file) => /\.(rs|ts|js|mjs|cjs)$/.test(file) && !file.startsWith('__test__/repository/'))
    expect(tests.flatMap((file) => linesMatching(file, pattern))).toEqual([])
  })

  test('no failure is swallowed without a word on what is lost', () => {
    const swallowed = /\bcatch\s*(\(\w*\))?\s*\{\s*\}|\.catch\(\s*\(\)\s*=>\s*(\{\s*\}|undefined|null)\s*\)/
    const code = files.filter((file) => /^(ts|scripts|examples|src|crates)\//.test(file))
    const unexplained = code.flatMap((file) =>
      linesMatching(file, swallowed).filter((line) => !isExplained(file, line)),
    )
    expect(unexplained).toEqual([])
  })

  /** A comment on the line or on the one above it. */
  function isExplained(file: string, { at }: Line): boolean {
    const line = Number(at.slice(at.lastIndexOf(':') + 1))
    const around = read(file)
      .split('\n')
      .slice(Math.max(0, line - 2), line)
    return around.some((text) => text.includes('// '))
  }
})

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
