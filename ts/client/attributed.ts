import { CallSite, PawlError } from '../errors'

/**
 * Runs a public call, and gives its errors the stack of the caller: by the time an answer comes, the caller's frames are
 * gone. `entry` is the public method itself.
 */
export function attributed<T>(entry: (...args: never[]) => unknown, work: () => Promise<T>): Promise<T> {
  const site = new CallSite(entry)
  return work().catch((error: unknown) => {
    throw PawlError.is(error) ? site.mark(error) : error
  })
}
