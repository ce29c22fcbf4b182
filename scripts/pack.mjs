// `npm run pack:local [folder]`: the tarballs of a release, for every addon in native/. `--as-built` takes what is there
// instead of building an optimised addon first.
import { resolve } from 'node:path'
import { packAll } from './lib/package.mjs'
import { root } from './lib/root.mjs'
import { main } from './lib/stage.mjs'
import { prepare } from './prepare.mjs'

const args = process.argv.slice(2)
const folder = args.find((arg) => !arg.startsWith('--'))

await main(async () => {
  if (!args.includes('--as-built')) await prepare({ release: true })
  const { main: tarball, platforms } = await packAll(resolve(folder ?? `${root}/npm`))
  for (const path of [tarball, ...platforms]) console.log(path)
})
