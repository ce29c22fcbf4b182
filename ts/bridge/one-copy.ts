import { resolve } from 'node:path'
import { PawlError } from '../errors'

/** Which copy of pawl has a database file open in this process, and how often. */
type Register = Map<string, { readonly copy: string; count: number }>

/** Registered, so that every copy of pawl finds the same one. */
const REGISTER = Symbol.for('pawl.sqlite.open')
const SQLITE = 'sqlite:'

/**
 * Takes note that `copy` opens a database file, and answers how to take it back. Each copy of the addon brings a SQLite of
 * its own, and two of those in one process do not see each other's locks: together they would damage the file.
 */
export function openFile(url: string, copy: string): () => void {
  if (!url.startsWith(SQLITE)) return () => undefined
  const register = theRegister()
  const file = resolve(url.slice(SQLITE.length))
  const open = register.get(file) ?? { copy, count: 0 }
  if (open.copy !== copy) throw twice(file, open.copy, copy)
  open.count += 1
  register.set(file, open)
  return () => {
    open.count -= 1
    if (open.count === 0) register.delete(file)
  }
}

function theRegister(): Register {
  const shared = globalThis as { [REGISTER]?: Register }
  shared[REGISTER] ??= new Map()
  return shared[REGISTER]
}

function twice(file: string, first: string, second: string): PawlError {
  const message =
    `"${file}" is open in this process already, by another copy of pawl (${first}; this is ${second}). Two copies of ` +
    "SQLite in one process do not see each other's locks and would damage the file. Let one copy be installed: " +
    '`npm ls pawl` shows who brings which, `npm dedupe` may do'
  return new PawlError('PAWL_STORE_BUSY', message)
}
