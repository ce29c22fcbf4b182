import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { read, root } from './sources'

/** "Twenty lines" may have a few more, but not many. */
const EXAMPLE_LINES_MAX = 30

describe('README.md', () => {
  const readme = read('README.md')
  const [, example = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readme) ?? []

  test('its example is short', () => {
    const lines = example.split('\n').filter((line) => line.trim() !== '')
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.length).toBeLessThan(EXAMPLE_LINES_MAX)
  })

  test('its example runs, runs again, and prints what it says', () => {
    const [, promised = ''] = /console\.log\(.*\) \/\/ (.*)$/m.exec(example) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'pawl-readme-'))
    try {
      mkdirSync(join(folder, 'node_modules'))
      symlinkSync(root, join(folder, 'node_modules/pawl'), 'junction')
      writeFileSync(join(folder, 'checkout.mjs'), example)
      const run = () =>
        execFileSync(process.execPath, ['checkout.mjs'], { cwd: folder, encoding: 'utf8', timeout: 60_000 })
      expect(run().trim()).toBe(promised)
      expect(run().trim()).toBe(promised)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('every command it names is there', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const named = [...readme.matchAll(/npm run (\w[\w:]*)/g)].map(([, name]) => name as string)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  test.each([
    'README.md',
    'ARCHITECTURE.md',
    'docs/ERRORS.md',
    'docs/FORMATS.md',
    'docs/GRAPHS.md',
    'docs/OPERATIONS.md',
    'docs/SCHEMAS.md',
    'docs/DEPENDENCIES.md',
  ])('the links of %s lead somewhere', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) =>
      join(page, '..', link as string),
    )
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([])
  })
})
