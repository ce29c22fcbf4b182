/** One run per file: read → fork(hash, statistics) → join → index. Files stay on disk; results hold what is known about them. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { flow, task } from 'pawl'
import { statisticsOf } from './statistics.mjs'

/** @typedef {{ path: string, bytes: number, format: string }} FileFacts */

const read = async (/** @type {string} */ path) => {
  const { size } = await stat(path)
  return { path, bytes: size, format: extname(path).slice(1).toLowerCase() || 'unknown' }
}

const hash = async (/** @type {FileFacts} */ file) => {
  const sha256 = createHash('sha256')
  await pipeline(createReadStream(file.path), sha256)
  return sha256.digest('hex')
}

const statistics = (/** @type {FileFacts} */ file) => statisticsOf(file.path, file.format)

/**
 * @param {ReturnType<typeof import('./catalogue.mjs').openCatalogue>} catalogue
 * @param {(step: string, path: string) => void} note Told of each step that has done its work.
 */
export function ingestFlow(catalogue, note) {
  const noted = (name, work) =>
    task(
      name,
      async (input, ctx) => {
        const output = await work(input, ctx)
        note(name, await ctx.input())
        return output
      },
      { retry: { maxAttempts: 3, backoff: '200ms' }, timeout: '1m' },
    )

  return flow('ingest')
    .step(noted('read', read))
    .fork({ hash: noted('hash', hash), statistics: noted('statistics', statistics) })
    .join('describe', async ({ hash, statistics }, ctx) => ({
      ...(await ctx.output('read')),
      sha256: hash,
      statistics,
    }))
    .step(
      noted('index', ({ statistics, ...file }) => {
        catalogue.put({ ...file, records: statistics.records, fields: JSON.stringify(statistics.fields) })
        return file.sha256
      }),
    )
    .build()
}
