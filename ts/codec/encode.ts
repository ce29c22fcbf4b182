import { PawlError } from '../errors/pawl-error'
import { isTooLarge, VALUE_BYTES_MAX } from './limits'
import { isPlainJson } from './plain'
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
  const payload = written(value, at)
  if (isTooLarge(payload.text)) throw tooLarge(at)
  return payload
}

function written(value: unknown, at: string): Payload {
  try {
    if (isSurelyPlain(value)) return { codec: CODEC_JSON, text: JSON.stringify(value) }
    return { codec: CODEC_TAGGED, text: JSON.stringify(new Tagging(at, refuse).of(value)) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // V8 says RangeError both when the stack is used up and when a text grows beyond the longest one it can make.
    throw /call stack/.test(error.message) ? tooDeep(at) : tooLarge(at)
  }
}

/** A getter or a proxy may throw while it is looked at; the tagging walk finds out where. */
function isSurelyPlain(value: unknown): boolean {
  try {
    return isPlainJson(value)
  } catch {
    return false
  }
}

function refuse(error: Error): never {
  throw error
}

function tooLarge(at: string): PawlError {
  const limit = VALUE_BYTES_MAX / 1024 / 1024
  return new PawlError(
    'PAWL_VALUE_TOO_LARGE',
    `${at} is larger than ${limit} MB, the most that is stored for one value. Keep it in a file or a table, and pass its key.`,
  )
}

function tooDeep(at: string): PawlError {
  const message = `${at} cannot be stored: it is nested too deep for the stack that its caller has left.`
  return new PawlError('PAWL_SERIALIZATION', message)
}
