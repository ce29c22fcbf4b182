import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(__dirname, '../..')

/** Made by tools, never written by hand. */
const GENERATED = new Set(['.git', '.pawl', 'target', 'node_modules', 'dist', 'native', 'npm', 'coverage', 'results'])

/** All files below `folder` whose name matches, as paths from the root. */
export function filesIn(folder: string, name: RegExp = /./): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return GENERATED.has(entry.name) ? [] : filesIn(path, name)
    return name.test(entry.name) ? [path] : []
  })
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** A place in a file, as editors and terminals link it. */
export interface Line {
  at: string
  text: string
}

/** The lines of a file that match, each with its place. */
export function linesMatching(path: string, pattern: RegExp, source: string = read(path)): Line[] {
  const lines = source.split('\n').map((text, index) => ({ at: `${path}:${index + 1}`, text: text.trim() }))
  return lines.filter(({ text }) => pattern.test(text))
}

/** Rust source with comments and its `mod tests` blanked out; line numbers stay. */
export function rustCode(path: string): string {
  const source = read(path)
  const tests = source.search(/^#\[cfg\(test\)\]\s*mod \w+ \{/m)
  const code = tests === -1 ? source : source.slice(0, tests)
  return code.replace(/\/\/.*$/gm, '')
}

export interface Dependency {
  name: string
  kind: null | 'dev' | 'build'
  path?: string
}

/** The workspace as cargo sees it: crate name → direct dependencies. */
export function crates(): Map<string, Dependency[]> {
  const json = execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps', '--offline'], { cwd: root })
  const { packages } = JSON.parse(json.toString()) as { packages: { name: string; dependencies: Dependency[] }[] }
  return new Map(packages.map(({ name, dependencies }) => [name, dependencies]))
}
