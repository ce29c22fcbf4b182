// `npm run demo`: makes ready what is missing, then shows a real job that is killed half-way and goes on.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { prepare } from './prepare.mjs'
import { root } from './lib/root.mjs'
import { main } from './lib/stage.mjs'

await main(async () => {
  await prepare({ release: true })
  process.exitCode = await show()
})

function show() {
  const demo = spawn(process.execPath, [join(root, 'examples/demo/run.mjs'), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  })
  return new Promise((done, fail) => demo.on('error', fail).on('close', (code) => done(code ?? 1)))
}
