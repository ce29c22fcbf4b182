/** Reading and watching the log of effects that the steps of `ingest` append to. */
import { existsSync, readFileSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** @typedef {{ pid: number, step: string, path: string }} Effect */

/** A killed process may leave half a line at the end; the step that wrote it was not finished. @param {string} file @returns {Effect[]} */
export function readEffects(file) {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Resolves as soon as the log satisfies `enough`. @param {string} file @param {(effects: Effect[]) => boolean} enough @param {AbortSignal} signal */
export function effectsReach(file, enough, signal) {
  return new Promise((resolve, reject) => {
    const watcher = watch(dirname(file), { signal }, (_event, name) => {
      if (name !== basename(file) || !enough(readEffects(file))) return
      watcher.close()
      resolve(undefined)
    })
    watcher.on('error', reject)
  })
}
