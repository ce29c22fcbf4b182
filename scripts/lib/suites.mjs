import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, scratch } from './root.mjs'
import { capture, failed, must } from './stage.mjs'
import { has } from './toolchain.mjs'

/** Adds up what all suites report, so that the closing line states what was really run. */
export class Tally {
  passed = 0
  failed = 0

  add({ passed, failed }) {
    this.passed += passed
    this.failed += failed
  }

  get line() {
    return `${this.passed} passed, ${this.failed} failed`
  }
}

/** All tests of the Rust workspace, with nextest where it is installed, and the examples in its documentation. */
export async function rustTests() {
  if (!has('cargo', 'nextest', '--version'))
    return counted('cargo', ['test', '--workspace', '--no-fail-fast'], cargoCounts)
  const tests = await counted(
    'cargo',
    ['nextest', 'run', '--workspace', '--no-fail-fast', '--color=never'],
    nextestCounts,
  )
  const docs = await counted('cargo', ['test', '--workspace', '--doc', '--no-fail-fast'], cargoCounts)
  return sum(tests, docs)
}

/** Jest over one folder; its own report is the source of the numbers. */
export async function jestTests(folder) {
  const report = join(scratch, `jest-${folder.replaceAll(/\W/g, '')}.json`)
  mkdirSync(scratch, { recursive: true })
  rmSync(report, { force: true })
  const jest = join(root, 'node_modules/jest/bin/jest.js')
  return counted(process.execPath, [jest, folder, '--json', `--outputFile=${report}`, '--color=false'], () => {
    if (!existsSync(report)) return { passed: 0, failed: 1 }
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites }
  })
}

/** Types of everything that is not built: tests, examples, and the assertions about inferred types among them. */
export async function typeTests() {
  await must(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.test.json'])
  return { passed: 1, failed: 0 }
}

/** Runs a suite; one that fails still says how many of its tests did. */
async function counted(command, args, countsOf) {
  const { code, output } = await capture(command, args)
  const counts = countsOf(output)
  if (code === 0 && counts.failed === 0) return counts
  const error = failed(`\`${[command, ...args].join(' ')}\` ended with ${code}`, output)
  error.counts = { passed: counts.passed, failed: Math.max(1, counts.failed) }
  throw error
}

/** `Summary [ 1.2s] 55 tests run: 54 passed (1 slow), 1 failed, 0 skipped` */
function nextestCounts(output) {
  const summary = output.split('\n').findLast((line) => /tests? run:/.test(line)) ?? ''
  const number = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0)
  return { passed: number('passed'), failed: number('failed') + number('timed out') }
}

/** `test result: ok. 12 passed; 0 failed; …`, once per test program. */
function cargoCounts(output) {
  const results = output.matchAll(/^test result: .*?(\d+) passed; (\d+) failed/gm)
  return [...results].reduce((all, [, passed, failed]) => sum(all, { passed: +passed, failed: +failed }), {
    passed: 0,
    failed: 0,
  })
}

const sum = (a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed })
