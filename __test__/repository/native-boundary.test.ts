import { filesIn, linesMatching, read, rustCode } from './sources'

const rust = [...filesIn('src', /\.rs$/), ...filesIn('crates', /\.rs$/)]

describe('the boundary to Node', () => {
  // A panic in a synchronous export ends the host process unless it is caught there.
  test('every synchronous export catches panics', () => {
    const uncaught = rust
      .flatMap((file) => exportsOf(file))
      .filter((found) => !found.attributes.includes('catch_unwind'))
    expect(uncaught).toEqual([])
  })

  test('there are exports to look at', () => {
    expect(rust.flatMap((file) => exportsOf(file)).length).toBeGreaterThanOrEqual(3)
  })

  test('nothing but the addon speaks napi', () => {
    const crates = filesIn('crates', /\.rs$/)
    expect(crates.flatMap((file) => linesMatching(file, /\bnapi\b/, rustCode(file)))).toEqual([])
  })

  // napi's own runtime starts threads when the addon is loaded, used or not.
  test('the addon keeps its own tokio runtime', () => {
    const [features] = /^napi = .*$/m.exec(read('Cargo.toml')) ?? []
    expect(features).toBeDefined()
    expect(features).not.toMatch(/tokio_rt|async/)
  })
})

describe('unsafe code', () => {
  test('each use says why it is sound', () => {
    const unexplained = rust.flatMap((file) => {
      const lines = read(file).split('\n')
      return linesMatching(file, /\bunsafe\s*(\{|impl\b)/, rustCode(file)).filter(({ at }) => {
        const line = Number(at.slice(at.lastIndexOf(':') + 1)) - 1
        return !explains(lines, line)
      })
    })
    expect(unexplained).toEqual([])
  })

  /** A `// SAFETY:` comment on the line or in the comment right above it. */
  function explains(lines: string[], line: number): boolean {
    let first = line
    while (first > 0 && lines[first - 1]?.trim().startsWith('//')) first -= 1
    return lines.slice(first, line + 1).some((text) => text.includes('SAFETY:'))
  }
})

/** Functions that napi exports: the `#[napi…]` attribute and the function's first line. */
function exportsOf(file: string): { at: string; attributes: string; text: string }[] {
  const lines = rustCode(file).split('\n')
  return lines.flatMap((line, index) => {
    const [attributes] = /#\[napi\b.*$/.exec(line) ?? []
    if (attributes === undefined) return []
    const item = lines.slice(index + 1).find((text) => text.trim() !== '' && !text.trim().startsWith('#[')) ?? ''
    return /\bfn\b/.test(item) ? [{ at: `${file}:${index + 1}`, attributes, text: item.trim() }] : []
  })
}
