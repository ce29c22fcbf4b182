// Makes a fresh clone ready to run: packages, addon, dist/. Does only what is out of date, so a second call costs
// milliseconds. Node's own modules only: node_modules may not exist yet.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hashOf, nativeInputs, readStamp, tsInputs, writeStamp } from './lib/inputs.mjs'
import { modulesAreCurrent } from './lib/modules.mjs'
import { root } from './lib/root.mjs'
import { main, must, stage } from './lib/stage.mjs'
import { checkNode, checkToolchain } from './lib/toolchain.mjs'

/** `release: true` asks for the optimised addon; otherwise a debug one will do, and an optimised one is taken as it is. */
export async function prepare({ release = false } = {}) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) // the generated loader carries it
  const addon = { hash: hashOf(nativeInputs(), version), release }
  const addonIsCurrent = nativeIsCurrent(addon)
  if (!addonIsCurrent) checkToolchain() // before minutes go into anything else
  await preparePackages()
  if (!addonIsCurrent) await stage(`build addon (${release ? 'release' : 'debug'})`, () => buildNative(addon))
  const sources = { hash: hashOf([...tsInputs(), 'package-lock.json']) }
  if (readStamp('dist').hash !== sources.hash || !existsSync(join(root, 'dist/index.js'))) {
    await stage('compile TypeScript', () => buildTs(sources))
  }
}

/** The part that needs no compiler. */
export async function preparePackages() {
  checkNode()
  if (modulesAreCurrent()) return
  await stage('install packages', () => must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']))
}

function nativeIsCurrent({ hash, release }) {
  const built = readStamp('native')
  return built.hash === hash && (built.release || !release) && existsSync(join(root, 'native', built.file ?? ''))
}

async function buildNative({ hash, release }) {
  await must('npm', ['run', '--silent', release ? 'build:native' : 'build:native:debug'])
  const { addonFile } = await import('./lib/addon.mjs')
  writeStamp('native', { hash, release, file: addonFile() })
}

async function buildTs(sources) {
  await must('npm', ['run', '--silent', 'build:ts'])
  writeStamp('dist', sources)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(() => prepare({ release: process.argv.includes('--release') }))
}
