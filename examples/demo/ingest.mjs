/** First part: a folder of files, a process that is killed half-way, and one that goes on. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCatalogue } from '../ingest/catalogue.mjs'
import { defaultFolder, filesBelow } from '../ingest/files.mjs'
import { startChild } from '../support/child.cjs'
import { effectsReach, readEffects } from './effects.mjs'
import { check, figure, heading, Mismatch, say, secondsSince } from './print.mjs'
import { storedSteps } from './stored.mjs'

const MAIN = fileURLToPath(new URL('../ingest/main.mjs', import.meta.url))

/** Steps per file that note what they did: read, hash, statistics, index. The join is pure and notes nothing. */
const NOTED_STEPS = 4

/** @param {string} state An empty folder for the databases. */
export async function demoIngest(state) {
  const files = await filesBelow(defaultFolder())
  const effects = join(state, 'effects.jsonl')
  const start = () => startChild(MAIN, ['--state', state, '--effects', effects], { show: true })
  const begunAt = performance.now()

  heading(`Ingest: ${files.length} data files, one run each: read → fork(hash, statistics) → join → index`)
  await killHalfWay(start(), effects, files.length)
  const before = { effects: readEffects(effects), ...(await storedSteps(join(state, 'pawl.db'))) }
  const killed = new Set(before.effects.map(({ pid }) => pid))

  figure(before.completed.length, 'files were done')
  figure(before.open.length, 'were begun and not done')
  figure(files.length - before.completed.length - before.open.length, 'were not begun')

  heading('The same command again')
  const resumedAt = performance.now()
  const { code } = await start().ended
  if (code !== 0) throw new Mismatch(`the second process ended with ${code}`)

  heading(`Done ${secondsSince(resumedAt)} s later, ${secondsSince(begunAt)} s in all`)
  const after = await storedSteps(join(state, 'pawl.db'))
  report(files, before, readEffects(effects), killed)
  check(after.completed.length === files.length, `all ${files.length} runs are completed`)
  checkCatalogue(join(state, 'catalogue.db'), files)
}

/** @param {ReturnType<typeof startChild>} child @param {string} effects @param {number} total */
async function killHalfWay(child, effects, total) {
  const half = Math.ceil(total / 2)
  const ended = new AbortController()
  const reached = effectsReach(
    effects,
    (seen) => seen.filter(({ step }) => step === 'index').length >= half,
    ended.signal,
  )
  const early = child.ended.then(({ code }) => {
    ended.abort()
    throw new Mismatch(`the first process ended (${code}) before it could be killed`)
  })
  await Promise.race([reached, early])
  early.catch(() => {}) // from here on it is meant to end
  reached.catch(() => {})
  child.kill('SIGKILL')
  const { signal } = await child.ended
  say('')
  check(signal === 'SIGKILL', `process ${child.pid} was killed with SIGKILL half-way`)
}

/**
 * @param {string[]} files
 * @param {{ steps: Set<string>, open: string[] }} before
 * @param {import('./effects.mjs').Effect[]} effects
 * @param {Set<number>} killed process ids
 */
function report(files, before, effects, killed) {
  const times = new Map()
  for (const { step, path } of effects) times.set(`${step} ${path}`, (times.get(`${step} ${path}`) ?? 0) + 1)
  const repeated = [...times].filter(([, count]) => count > 1).map(([name]) => name)
  const again = effects.filter(({ pid, step, path }) => !killed.has(pid) && before.steps.has(`${step} ${path}`))

  figure(before.open.length, 'half-finished files went on after the step they had stored')
  figure(before.steps.size, 'steps were stored before the kill')
  figure(times.size - repeated.length, 'steps did their work exactly once')
  figure(repeated.length, 'were in flight when the process died, and did it twice')
  say('')
  check(
    times.size === files.length * NOTED_STEPS,
    `${files.length} files × ${NOTED_STEPS} steps = ${times.size} steps did their work`,
  )
  check(again.length === 0, 'no step that was stored ran again')
  check(
    [...times.values()].every((count) => count <= 2),
    'no step ran more than twice',
  )
}

/** The catalogue against the files themselves. @param {string} database @param {string[]} files */
function checkCatalogue(database, files) {
  const catalogue = openCatalogue(database)
  const entries = catalogue.all()
  catalogue.close()
  const right = entries.filter(({ path, sha256, bytes }) => {
    const content = readFileSync(path)
    return content.length === bytes && createHash('sha256').update(content).digest('hex') === sha256
  })
  const megabytes = entries.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6
  const records = entries.reduce((sum, entry) => sum + (entry.records ?? 0), 0)
  check(
    entries.length === files.length && right.length === files.length,
    `the catalogue holds all ${files.length} files with the right SHA-256`,
  )
  say('')
  figure(megabytes.toFixed(0), 'MB read')
  figure(records.toLocaleString('en-US'), 'records counted')
}
