// `npm run ready`: what must hold before a change is handed on. Quick checks first; the last one is a clean tree.
import { runSuites } from './lib/report.mjs'
import { capture, failed, main, must, stage } from './lib/stage.mjs'
import { checkToolchain } from './lib/toolchain.mjs'
import { prepare, preparePackages } from './prepare.mjs'

const CLIPPY = ['clippy', '--workspace', '--all-targets']
const DENY_WARNINGS = ['--', '-D', 'warnings']

await main(async () => {
  await preparePackages()
  checkToolchain()
  await stage('format, Rust', () => must('cargo', ['fmt', '--all', '--check']))
  await stage('format and lint, rest', () => must('npx', ['--no-install', 'biome', 'check', '--error-on-warnings']))
  await stage('clippy', () => must('cargo', [...CLIPPY, ...DENY_WARNINGS]))
  await stage('clippy, with node', () => must('cargo', [...CLIPPY, '--features', 'node', ...DENY_WARNINGS]))
  await prepare({ release: true })
  await runSuites(['working tree clean', workingTreeIsClean])
})

/** Generated files stay out of the repository, and tests clean up after themselves. */
async function workingTreeIsClean() {
  const { output } = await capture('git', ['status', '--porcelain'])
  if (output.trim() !== '')
    throw failed('These files are changed or not in the repository. Commit or remove them.', output)
  return { passed: 1, failed: 0 }
}
