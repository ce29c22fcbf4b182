import { PawlError } from '../errors/pawl-error'
import { isPlainJson } from './plain'
import { isTooLarge, VALUE_BYTES_MAX } from './limits'
import { Tagging } from './tagging'

export const CODEC_JSON = 0
export const CODEC_TAGGED = 1

/** A value as it is stored. */
export interface Payload {
  readonly codec: number
  readonly text: string
}

/**
 * Writes a value. `at` names it in refusals (`input`, `output`).
 *
 * Throws PAWL_SERIALIZATION with the path of what cannot be stored, or PAWL_VALUE_TOO_LARGE.
 */
export function encode(value: unknown, at: string): Payload {
  const payload = isSurelyPlain(value) ? write(CODEC_JSON, value, at) : write(CODEC_TAGGED, strictly(value, at), at)
  if (isTooLarge(payload.text)) throw tooLarge(at)
  return payload
}

export function tooLarge(at: string): PawlError {
  const limit = VALUE_BYTES_MAX / 1024 / 1024
  return new PawlError(
    'PAWL_VALUE_TOO_LARGE',
    `${at} is larger than ${limit} MB, the most that is stored for one value. Keep it in a file or a table, and pass its key.`,
  )
}

function strictly(value: unknown, at: string): unknown {
  const refuse = (error: Error) => {
    throw error
  }
  return new Tagging(at, refuse).of(value)
}

/** A getter or a proxy may throw while it is looked at; the tagging walk finds out where. */
function isSurelyPlain(value: unknown): boolean {
  try {
    return isPlainJson(value)
  } catch {
    return false
  }
}

function write(codec: number, value: unknown, at: string): Payload {
  try {
    return { codec, text: JSON.stringify(value) }
  } catch (error) {
    // The longest string that V8 can make lies far above the limit.
    if (error instanceof RangeError) throw tooLarge(at)
    throw error
  }
}
