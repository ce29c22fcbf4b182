import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { failed } from './stage.mjs'

/** Edition 2024 and let-chains, which the crates use. */
const RUST_MIN = [1, 88]
const NODE_MIN = 20

/** Checks for what building needs and cannot install by itself; throws one sentence per missing thing. */
export function checkToolchain() {
  findRustup()
  const missing = [checkRust(), checkCompiler()].filter(Boolean)
  if (missing.length > 0)
    throw failed(`pawl cannot be built here yet:\n${missing.map((text) => `- ${text}`).join('\n')}`)
}

/** Node is running this, so only its age can be wrong. */
export function checkNode() {
  const major = Number(process.versions.node.split('.')[0])
  if (major < NODE_MIN) {
    throw failed(
      `pawl needs Node.js ${NODE_MIN} or newer; this is ${process.versions.node}. Get it from https://nodejs.org.`,
    )
  }
}

/** Is this program there? Asking costs a few milliseconds. */
export function has(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** rustup puts cargo where a shell that was open before does not look. */
function findRustup() {
  const bin = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin')
  const path = process.env.PATH ?? ''
  if (existsSync(bin) && !path.split(delimiter).includes(bin)) process.env.PATH = `${path}${delimiter}${bin}`
}

function checkRust() {
  const needed = RUST_MIN.join('.')
  const get = 'Install it from https://rustup.rs (one command, no root needed), then run this again.'
  const rustc = spawnSync('rustc', ['--version'], { encoding: 'utf8' })
  if (rustc.status !== 0 || !has('cargo', '--version'))
    return `Rust is missing (cargo and rustc ${needed} or newer). ${get}`
  const [, major, minor] = /(\d+)\.(\d+)/.exec(rustc.stdout) ?? []
  if (Number(major) > RUST_MIN[0] || Number(minor) >= RUST_MIN[1]) return undefined
  return `Rust ${needed} or newer is needed; this is ${rustc.stdout.trim()}. Run \`rustup update\`.`
}

/** SQLite is compiled from C, and Rust links with the C compiler. On Windows the Rust installer brings both. */
function checkCompiler() {
  if (process.platform === 'win32') return undefined
  if (process.env.CC ? has(process.env.CC, '--version') : has('cc', '--version')) return undefined
  const how = process.platform === 'darwin' ? 'xcode-select --install' : 'apt-get install build-essential'
  return `A C compiler (\`cc\`) is missing: SQLite is built from source. Install one, for example \`${how}\`.`
}
