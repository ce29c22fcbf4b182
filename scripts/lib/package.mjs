import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { platformOf } from './addon.mjs'
import { root } from './root.mjs'
import { must } from './stage.mjs'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** What only a checkout needs. */
const CHECKOUT_ONLY = ['scripts', 'devDependencies', 'napi', 'files']

/**
 * Makes `pawl-x.y.z.tgz` and one `pawl-<platform>-x.y.z.tgz` for each addon in native/, in `out`. The main package lists the
 * platform packages as optional dependencies of exactly its own version: npm installs the one that fits.
 */
export async function packAll(out) {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const addons = readdirSync(join(root, 'native')).filter((name) => name.endsWith('.node'))
  const platforms = []
  for (const addon of addons) platforms.push(await packPlatform(addon, out))
  const main = await packMain(platforms, out)
  return { main, platforms: platforms.map(({ tarball }) => tarball) }
}

async function packMain(platforms, out) {
  const folder = join(out, manifest.name)
  const shipped = Object.fromEntries(Object.entries(manifest).filter(([key]) => !CHECKOUT_ONLY.includes(key)))
  const optionalDependencies = Object.fromEntries(platforms.map(({ name }) => [name, manifest.version]))
  mkdirSync(folder, { recursive: true })
  for (const path of [...manifest.files, 'README.md', 'LICENSE']) {
    if (path !== 'dist') cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  // Compiled afresh: dist/ may still hold what is gone from ts/, and it has declarations for tests.
  await must(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    'tsconfig.json',
    '--outDir',
    join(folder, 'dist'),
    '--declaration',
    'false',
  ])
  return pack(folder, { ...shipped, optionalDependencies }, out)
}

async function packPlatform(addon, out) {
  const platform = platformOf(addon)
  const name = `${manifest.name}-${platform}`
  const folder = join(out, name)
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'native', addon), join(folder, addon))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(
    join(folder, 'README.md'),
    `# ${name}\n\nThe compiled addon of [${manifest.name}](https://www.npmjs.com/package/${manifest.name}) for ${platform}.\n`,
  )
  const { version, license, engines } = manifest
  const description = `The compiled addon of ${manifest.name} for ${platform}`
  const fields = { name, version, description, license, engines, ...constraints(platform), main: addon, files: [addon] }
  return { name, tarball: await pack(folder, fields, out) }
}

/** `linux-x64-gnu` → what npm checks before it installs an optional package. */
function constraints(platform) {
  const [os, cpu, abi] = platform.split('-')
  const libc = { gnu: 'glibc', musl: 'musl' }[abi]
  return { os: [os], cpu: [cpu], ...(os === 'linux' && libc ? { libc: [libc] } : {}) }
}

async function pack(folder, fields, out) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(fields, null, 2)}\n`)
  await must('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out, folder])
  return join(out, `${basename(folder)}-${fields.version}.tgz`)
}
