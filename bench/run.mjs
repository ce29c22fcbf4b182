#!/usr/bin/env node
/** The benchmark: pawl beside hand-written yardsticks. See README.md. */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { probeDisk } from './disk.mjs'
import { readOptions, USAGE } from './options.mjs'
import { table } from './report.mjs'
import { medians, runRounds } from './rounds.mjs'
import { setUp } from './setup.mjs'
import { judge } from './targets.mjs'

/** Below this, an "fdatasync" reaches no disk and the SQLite figures say nothing about durability. */
const REAL_DISK_MS = 0.02

async function main() {
  const options = readOptions(process.argv.slice(2))
  await setUp()
  const before = probeDisk(options.dir)
  const machine = {
    cpu: cpus()[0].model,
    cores: cpus().length,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  }
  console.log(
    `\n  ${machine.cpu} × ${machine.cores}, Node ${machine.node}, ${options.rounds} round(s)${options.quick ? ', quick sizes' : ''}`,
  )

  const rounds = await runRounds(options, progress)
  progress('')
  const after = probeDisk(options.dir)
  const results = medians(rounds)
  const verdicts = judge(results)

  console.log(`  fdatasync p50/p95 ms: before ${disk(before)}, after ${disk(after)}`)
  if (before.p50Ms < REAL_DISK_MS) console.log(`  ${options.dir} does not look like a disk; choose another with --dir.`)
  console.log(`\n${table(results, verdicts)}`)
  console.log(`  ${verdicts.filter((verdict) => verdict.met).length} of ${verdicts.length} targets met`)

  if (options.json !== null) {
    const all = {
      at: new Date().toISOString(),
      machine,
      options,
      fdatasync: { before, after },
      rounds,
      medians: results,
      verdicts,
    }
    writeFileSync(options.json, `${JSON.stringify(all, null, 2)}\n`)
    console.log(`  written to ${options.json}`)
  }
}

/** Shows where the measurement stands, on a terminal only. @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text === '' ? '' : `  ${text}`}`)
}

const disk = (/** @type {{ p50Ms: number, p95Ms: number }} */ probe) =>
  `${probe.p50Ms.toFixed(2)}/${probe.p95Ms.toFixed(2)}`

main().catch((error) => {
  progress('')
  console.error(`bench: ${error.message}\n\n${error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? USAGE : ''}`)
  process.exitCode = 1
})
