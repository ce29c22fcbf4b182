import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(__dirname, '../..')

/** Puts a second copy of the built package into a folder, as a nested `node_modules` would hold it; answers its path. */
export function copyPackage(folder: string): string {
  const copy = join(folder, 'node_modules', 'pawl')
  mkdirSync(copy, { recursive: true })
  for (const part of ['dist', 'native', 'package.json', 'index.mjs'])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  // Also for programs that run as somebody else.
  for (const open of [folder, copy]) chmodSync(open, 0o755)
  return copy
}
