import { join } from 'node:path'
import { PawlError } from '../errors'
import type { NativeModule } from '../native'

/** Beside dist/, made by the build; it picks the addon for this platform. */
export const LOADER = join(__dirname, '..', '..', 'native', 'native.js')

let loaded: NativeModule | undefined

/** The addon. Loaded at the first use, so that importing the package never fails. */
export function loadNative(): NativeModule {
  try {
    loaded ??= require(LOADER) as NativeModule
    return loaded
  } catch (error) {
    throw missing(error)
  }
}

function missing(error: unknown): PawlError {
  const libc = process.platform === 'linux' ? libcName() : null
  const where = [process.platform, process.arch, libc].filter((part) => part !== null).join(' ')
  const name = `pawl-${process.platform}-${process.arch}${suffix(libc)}`
  const message =
    `pawl's native part could not be loaded on ${where}: ${lastWords(error)}. It comes with the package "${name}"; ` +
    'install pawl again without --omit=optional (or --no-optional), on the platform where it will run'
  return new PawlError('PAWL_NATIVE_MISSING', message, { cause: error })
}

function suffix(libc: string | null): string {
  if (process.platform === 'win32') return '-msvc'
  if (libc === null) return ''
  return libc === 'musl' ? '-musl' : '-gnu'
}

function libcName(): string {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined
  return report?.header?.glibcVersionRuntime === undefined ? 'musl' : `glibc ${report.header.glibcVersionRuntime}`
}

/**
 * What the system said. The loader tries several places and chains what went wrong at each; a file that was found but
 * could not be loaded says more than one that is not there.
 */
function lastWords(error: unknown): string {
  const chain: Partial<Error>[] = []
  for (let next = error; typeof next === 'object' && next !== null && chain.length < 20; ) {
    chain.push(next)
    next = (next as Error).cause
  }
  const tried = chain.length > 1 ? chain.slice(1) : chain
  const told = tried.find(({ message }) => message !== undefined && !message.startsWith('Cannot find ')) ?? tried.at(-1)
  return told?.message?.split('\n')[0] ?? String(error)
}
