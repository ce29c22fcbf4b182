import { verbs } from '../semantics/verbs'
import { read } from './sources'

const LINES = 100
const CONFORMANCE = 'crates/store/src/conformance'

interface Line {
  readonly number: number
  readonly mark: string
  readonly promise: string
  readonly tests: readonly (readonly [file: string, name: string])[]
}

const lines: Line[] = [...read('docs/SEMANTICS.md').matchAll(/^\| (\d+) \| (\w+) \| (.+) \| (.+) \|$/gm)].map(
  ([, number, mark, promise, tests]) => ({
    number: Number(number),
    mark: mark as string,
    promise: promise as string,
    tests: (tests as string).split('<br>').map((test) => {
      const [, file, name] = /^`(.+?)` › `(.+)`$/.exec(test) ?? []
      if (file === undefined || name === undefined) throw new Error(`line ${number}: "${test}" names no test`)
      return [file, name] as const
    }),
  }),
)

describe('docs/SEMANTICS.md', () => {
  test('has a hundred lines, in order', () => {
    expect(lines.map((line) => line.number)).toEqual(Array.from({ length: LINES }, (_, at) => at + 1))
  })

  test('says of each what became of it, once', () => {
    expect(lines.filter((line) => !['kept', 'changed', 'dropped'].includes(line.mark))).toEqual([])
    expect(new Set(lines.map((line) => line.promise)).size).toBe(LINES)
  })

  test('names tests that exist, where it says they are', () => {
    const missing = lines.flatMap(({ number, tests }) =>
      tests.filter(([file, name]) => !exists(file, name)).map(([file, name]) => `${number}: ${file} › ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('a name that no test has is noticed', () => {
    expect(exists('verbs', 'step: flies')).toBe(false)
    expect(exists('crates/core/tests/stories/chains.rs', 'no_such_story')).toBe(false)
    expect(exists('crates/core/tests/stories/main.rs', 'main')).toBe(false)
    expect(exists(`${CONFORMANCE}/starts.rs`, 'turn_of_nobody')).toBe(false)
    expect(exists('__test__/repository/semantics.test.ts', 'no such test')).toBe(false)
  })

  // The long table is the place to look for a row; a row that proves nothing here is still a promise of its own.
  test('the table of verbs shows every row that is played', () => {
    const rows = [...read('docs/VERBS.md').matchAll(/^\| (\w+: .+?) \| ✓/gm)].map(([, row]) => row)
    expect(rows).toEqual(Object.keys(verbs))
  })
})

function exists(file: string, name: string): boolean {
  if (file === 'verbs') return Object.hasOwn(verbs, name)
  if (file.startsWith(CONFORMANCE)) return isBehaviour(file, name)
  return file.endsWith('.rs') ? isRustTest(file, name) : isJestTest(file, name)
}

/** A function of the suite that the list hands to every store. */
function isBehaviour(file: string, name: string): boolean {
  const listed = new RegExp(`^\\s+${name}$`, 'm').test(read(`${CONFORMANCE}/list.rs`))
  return listed && read(file).includes(`pub async fn ${name}(`)
}

function isRustTest(file: string, name: string): boolean {
  return new RegExp(`#\\[(tokio::)?test[^\\n]*\\n\\s*(async )?fn ${name}\\(`).test(read(file))
}

function isJestTest(file: string, name: string): boolean {
  const source = read(file).replace(/\(\s+/g, '(')
  return ["'", '"', '`'].some((quote) => source.includes(`(${quote}${name}${quote}`))
}
