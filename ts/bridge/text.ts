import { inspect } from 'node:util'

/** The most bytes that one UTF-16 unit takes in UTF-8. */
const UTF8_BYTES_PER_UNIT_MAX = 3

/**
 * A text that every store can keep: no NUL, no lone surrogates, at most `bytesMax` bytes of UTF-8. One that was cut says
 * so at its end.
 */
export function fit(text: string, bytesMax: number): string {
  // A unit takes at least one byte, so nothing after `bytesMax` units can stay: a huge text is not copied as a whole.
  const clean = wellFormed(text.length > bytesMax ? text.slice(0, bytesMax) : text).replaceAll('\0', '\u2400')
  if (text.length <= bytesMax && fits(clean, bytesMax)) return clean
  const mark = ` … (shortened by pawl, ${text.length} characters)`
  const bytes = Buffer.from(clean).subarray(0, bytesMax - Buffer.byteLength(mark))
  // A character that was cut in the middle decodes to U+FFFD.
  return bytes.toString().replace(/\ufffd$/, '') + mark
}

/** What a console would show of any value; never throws and is never long. */
export function shown(value: unknown): string {
  try {
    return inspect(value, {
      depth: 2,
      breakLength: Number.POSITIVE_INFINITY,
      maxArrayLength: 20,
      maxStringLength: 1_000,
    })
  } catch {
    return 'a value that cannot be shown'
  }
}

function fits(text: string, bytesMax: number): boolean {
  return text.length * UTF8_BYTES_PER_UNIT_MAX <= bytesMax || Buffer.byteLength(text) <= bytesMax
}

/** Lone surrogates have no UTF-8; Node's encoder replaces them. */
function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text
}
