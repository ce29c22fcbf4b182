/** Which files to ingest. */
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The data files of the npm package vega-datasets: some 70 files, 40 MB. */
export function defaultFolder() {
  const require = createRequire(import.meta.url)
  return join(dirname(require.resolve('vega-datasets')), '../data')
}

/** All files below a folder, as absolute paths in a stable order. @param {string} folder */
export async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

/** The run's id: the same file is the same run, so starting again goes on instead of starting over. @param {string} path */
export const runIdOf = (path) => pathToFileURL(path).href
