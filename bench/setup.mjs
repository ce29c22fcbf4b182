/** Makes ready what the benchmark measures, so that it never measures yesterday's build. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { prepare } from '../scripts/prepare.mjs'

const YARDSTICKS = fileURLToPath(new URL('yardsticks', import.meta.url))

export async function setUp() {
  await prepare({ release: true })
  if (!existsSync(`${YARDSTICKS}/node_modules/better-sqlite3/build/Release`)) {
    console.log('  installing the driver of the yardsticks')
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: YARDSTICKS,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
  }
}
