import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder: every script works from here, wherever it was called from. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** Where scripts keep what they learned (stamps, test reports). Inside target/, so a `cargo clean` forgets it too. */
export const scratch = resolve(root, 'target/pawl')
