/** The deepest nesting of a value. Deeper walks would risk the stack of the host's process. */
export const DEPTH_MAX = 1_000

/** The longest stored form of a value, in bytes. A larger one belongs into a file or a table, and its key into the flow. */
export const VALUE_BYTES_MAX = 64 * 1024 * 1024

/** In UTF-8 a UTF-16 code unit takes at most three bytes. */
const UTF8_BYTES_PER_UNIT_MAX = 3

export function isTooLarge(text: string): boolean {
  if (text.length * UTF8_BYTES_PER_UNIT_MAX <= VALUE_BYTES_MAX) return false
  return text.length > VALUE_BYTES_MAX || Buffer.byteLength(text) > VALUE_BYTES_MAX
}
