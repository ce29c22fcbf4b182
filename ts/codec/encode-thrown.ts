import { CODEC_TAGGED, type Payload } from './encode'
import { isTooLarge } from './limits'
import { className } from './shape'
import { Tagging } from './tagging'

/**
 * Writes what a step threw. Parts that cannot be stored (functions, sockets, cycles) are replaced by a word such as
 * `[Socket]`: they must not hide the rest of the error. `undefined` if even so it cannot be written.
 */
export function encodeThrown(thrown: unknown): Payload | undefined {
  try {
    const tagging = new Tagging(
      'error',
      (_, part) => `[${typeof part === 'object' && part !== null ? className(part) : typeof part}]`,
    )
    const text = JSON.stringify(tagging.of(thrown))
    return isTooLarge(text) ? undefined : { codec: CODEC_TAGGED, text }
  } catch {
    // A proxy that throws at every touch, or a text beyond V8's limit. The caller has its message at least.
    return undefined
  }
}
