#!/usr/bin/env node
/** Reads a folder of files into a catalogue. Kill it whenever you like and start it again: it goes on. */
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Pawl, Worker } from 'pawl'
import { openCatalogue } from './catalogue.mjs'
import { effectsLog } from './effects.mjs'
import { filesBelow, runIdOf } from './files.mjs'
import { ingestFlow } from './flow.mjs'
import { readOptions } from './options.mjs'
import { progressOf } from './progress.mjs'

/** A killed process keeps its claims for this long; then whoever is alive takes over. */
const CLAIM_TTL = '1s'
/** How many files are begun and not yet done: bounds memory, whatever the size of the folder. */
const UNFINISHED = 16

const { folder, state, effects, concurrency } = readOptions()
await mkdir(state, { recursive: true })
const paths = await filesBelow(folder)
const catalogue = openCatalogue(join(state, 'catalogue.db'))
const ingest = ingestFlow(catalogue, effectsLog(effects))

const pawl = await Pawl.connect(`sqlite:${join(state, 'pawl.db')}`)
const worker = new Worker(pawl, { flows: [ingest], concurrency, claimTtl: CLAIM_TTL })
await worker.start()

const startedAt = performance.now()
const progress = progressOf(paths.length)
const failures = await ingestAll(paths)

const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
const before = progress.doneBefore()
console.log(
  `  ${paths.length - failures.length} of ${paths.length} files${before > 0 ? `, ${before} of them before` : ''}, in ${seconds} s`,
)
console.log(`  from ${folder} into ${join(state, 'catalogue.db')}`)
for (const { path, error } of failures) console.error(`  ✗ ${path}: ${error.cause?.message ?? error.message}`)
if (failures.length > 0) process.exitCode = 1

await worker.stop()
await pawl.close()
catalogue.close()

/** Starts each file's run, or finds the one that an earlier process began, and waits for its end. @param {string[]} paths */
async function ingestAll(paths) {
  const waiting = paths.values()
  /** @type {{ path: string, error: Error }[]} */
  const failures = []
  const lane = async () => {
    for (const path of waiting) {
      const run = await pawl.start(ingest, path, { id: runIdOf(path), onConflict: 'useExisting' })
      const doneBefore = run.existing && 'endedAt' in (await run.status())
      await run.result().catch((error) => failures.push({ path, error }))
      progress.tick(basename(path), doneBefore)
    }
  }
  await Promise.all(Array.from({ length: UNFINISHED }, lane))
  return failures
}
