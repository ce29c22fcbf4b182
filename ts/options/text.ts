import { PawlError } from '../errors/pawl-error'
import { shown } from './shown'

/** As on the native side. */
export const RUN_ID_CHARS_MAX = 500
export const NAME_CHARS_MAX = 200

const CONTROL = /\p{Cc}/u
/** Half of a surrogate pair. It has no bytes in UTF-8, so two different ids could become one in a database. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** Checks the id of a run: 1 to 500 characters, no control characters, no half characters, no space at either end. */
export function runId(value: unknown, where: string): string {
  if (typeof value !== 'string') throw argument(where, 'id', value, 'a run id is a text, such as "order-42".')
  const wrong = wrongText(value, RUN_ID_CHARS_MAX)
  if (wrong !== undefined) throw argument(where, 'id', value, wrong)
  return value
}

/** Checks the name of a flow, node, branch or signal that is looked up in a store. */
export function name(value: unknown, where: string, what: string): string {
  if (typeof value !== 'string') throw argument(where, what, value, 'it has to be a text.')
  const wrong = wrongText(value, NAME_CHARS_MAX)
  if (wrong !== undefined) throw argument(where, what, value, wrong)
  return value
}

/** A text for people, such as a reason. Half characters are replaced by U+FFFD: nothing is ever looked up by it. */
export function note(value: unknown, option: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new PawlError('PAWL_OPTION', `"${option}" is ${shown(value)}; it is a text.`)
  return wellFormed(value)
}

export function wellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text
}

export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text)
}

function wrongText(text: string, charsMax: number): string | undefined {
  if (text === '') return 'it is empty.'
  if (text.trim() !== text) return 'it begins or ends with a space.'
  if (text.length > charsMax && [...text].length > charsMax) {
    return `it has ${[...text].length} characters; at most ${charsMax} are allowed.`
  }
  if (CONTROL.test(text)) return 'it contains a control character.'
  if (LONE_SURROGATE.test(text)) return 'it contains half of a surrogate pair (a character that was cut in the middle).'
  return undefined
}

function argument(where: string, what: string, value: unknown, why: string): PawlError {
  return new PawlError('PAWL_ARGUMENT', `${where}: the ${what} is ${shown(value)}, but ${why}`)
}
