import { StageFailed, stage } from './stage.mjs'
import { jestTests, rustTests, Tally, typeTests } from './suites.mjs'

const SUITES = [
  ['Rust tests', rustTests],
  ['type tests', typeTests],
  ['Node tests', () => jestTests('__test__')],
  ['examples', () => jestTests('examples')],
]

/**
 * Runs every suite, also after one has failed: one run shows all that is broken. `last` are checks to make when the
 * suites have run. The last line printed is `N passed, N failed`.
 */
export async function runSuites(...last) {
  const tally = new Tally()
  for (const [name, suite] of [...SUITES, ...last]) await runSuite(name, suite, tally)
  console.log(`\n${tally.line}`)
  if (tally.failed > 0) process.exitCode = 1
}

async function runSuite(name, suite, tally) {
  try {
    await stage(name, async () => {
      const counts = await suite()
      tally.add(counts)
      return `${counts.passed} passed`
    })
  } catch (error) {
    if (!(error instanceof StageFailed)) throw error
    tally.add(error.counts ?? { passed: 0, failed: 1 })
    console.log(`\n${error.message}\n`)
  }
}
