import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(__dirname, '../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
/** What the type checker may spend on a flow: far below what an editor's user notices. */
const CHECK_SECONDS_MAX = 2
const ROUNDS_MAX = 3
/** A ceiling on the work itself, which does not depend on how busy the machine is. Measured: 94,000 and 240,000. */
const INSTANTIATIONS_MAX = 500_000

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

/** A chain whose every step asks for the output of an earlier one. */
function chain(steps: number): string {
  const step = (at: number) => `.step('step${at}', async (x, ctx) => {
    const before = ${at === 0 ? 'x' : `await ctx.output('step${at >> 1}')`}
    return { n: x.n + before.n, mark${at}: ${at} as const }
  })`
  return `flow<{ n: number }>('chain')${numbers(steps).map(step).join('\n')}
    .step('last', async (x, ctx) => { const n: number = (await ctx.output('step${steps - 1}')).n; return n })
    .build()`
}

/** Forks one after the other, with tasks, functions, chains and forks as branches. */
function forks(count: number): string {
  const fork = (at: number) => `.fork({
      a: square, b: half,
      c: (b) => b.step('one', async (x, ctx) => ({ n: x.n${at === 0 ? '' : ` + (await ctx.output('c/one${at - 1}')).n`} })).step('one${at}', square),
      d: (b) => b.fork({ x: square, y: (b) => b.step(square).delay('nap', '1h') }).join('inner', ({ x, y }) => ({ n: x.n + y.n })),
    })
    .join('join${at}', ({ a, b, c, d }) => ({ n: a.n + b + c.n + d.n }))`
  return `flow<{ n: number }>('forks')${numbers(count).map(fork).join('\n')}.build()`
}

const PRELUDE = `import { flow, task } from 'pawl'
const square = task('square', async (x: { n: number }) => ({ n: x.n * x.n, text: 'squared' }))
const half = async (x: { n: number }) => x.n / 2
`

test.each([
  ['a chain of 100 steps', chain(100)],
  ['30 forks of 4 branches', forks(30)],
])('%s is checked in less than two seconds', (_, source) => {
  let best = Number.POSITIVE_INFINITY
  // A busy machine makes a round slow; a slow type checker makes all of them slow.
  for (let round = 0; round < ROUNDS_MAX && best >= CHECK_SECONDS_MAX; round++) {
    const { seconds, instantiations } = check(`${PRELUDE}export const built = ${source}\n`)
    expect(instantiations).toBeLessThan(INSTANTIATIONS_MAX)
    best = Math.min(best, seconds)
  }
  expect(best).toBeLessThan(CHECK_SECONDS_MAX)
})

/** Compiles one file as a user of the package would, and answers what the compiler says of its own work. */
function check(source: string): { seconds: number; instantiations: number } {
  // Inside the package, so that it can import itself by name.
  const scratch = join(ROOT, '.pawl')
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, 'speed-'))
  try {
    writeFileSync(join(folder, 'flow.ts'), source)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.test.json'),
        include: ['flow.ts'],
        compilerOptions: { rootDir: '.' },
      }),
    )
    const report = execFileSync(process.execPath, [TSC, '-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' })
    const figure = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(report)?.[1])
    return { seconds: figure('Check time'), instantiations: figure('Instantiations') }
  } catch (error) {
    throw new Error(`tsc found errors:\n${(error as { stdout?: string }).stdout ?? error}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
