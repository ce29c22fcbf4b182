import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, scratch } from './root.mjs'

/** What the addon is made of. Tests and benchmarks beside the sources do not change it. */
export function nativeInputs() {
  const crates = readdirSync(join(root, 'crates')).map((name) => `crates/${name}`)
  const sources = crates.flatMap((crate) => [
    `${crate}/Cargo.toml`,
    `${crate}/build.rs`,
    `${crate}/src`,
    `${crate}/migrations`,
  ])
  return ['Cargo.toml', 'Cargo.lock', 'build.rs', 'src', ...sources]
}

/** What dist/ is made of. */
export const tsInputs = () => ['tsconfig.json', 'ts']

/** One hash over names and contents of files and of all files below folders; names that do not exist count for nothing. */
export function hashOf(paths, ...more) {
  const hash = createHash('sha256').update(JSON.stringify([process.platform, process.arch, ...more]))
  for (const file of paths.flatMap(filesBelow).sort()) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function filesBelow(path) {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (!statSync(full).isDirectory()) return [path]
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
}

/** A stamp remembers what an output was made from. */
export function readStamp(name) {
  const file = join(scratch, `${name}.stamp`)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

export function writeStamp(name, value) {
  mkdirSync(scratch, { recursive: true })
  writeFileSync(join(scratch, `${name}.stamp`), JSON.stringify(value))
}
