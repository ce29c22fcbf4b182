import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'
import { failed } from './stage.mjs'

/** The addon's file in native/, named after its platform: `pawl.linux-x64-gnu.node`. The newest, should there be several. */
export function addonFile() {
  const folder = join(root, 'native')
  const age = (name) => statSync(join(folder, name)).mtimeMs
  const [newest] = readdirSync(folder)
    .filter((name) => name.endsWith('.node'))
    .sort((a, b) => age(b) - age(a))
  if (newest === undefined)
    throw failed('The build left no addon (*.node) in native/. Run `npm run build:native` to see why.')
  return newest
}

/** `linux-x64-gnu`, from the addon's file name: the one place that knows this machine's platform. */
export const platformOf = (file) => file.slice('pawl.'.length, -'.node'.length)
