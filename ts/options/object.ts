import { PawlError } from '../errors/pawl-error'
import { shown } from './shown'
import { suggest } from './suggest'

/** The options a caller gave, with every name checked. `where` names the call, as in `flow.step("charge")`. */
export function optionsOf<Name extends string>(
  where: string,
  given: unknown,
  known: readonly Name[],
): Readonly<Partial<Record<Name, unknown>>> {
  if (given === undefined) return {} as Readonly<Partial<Record<Name, unknown>>>
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new PawlError(
      'PAWL_OPTION',
      `The options of ${where} are ${shown(given)}; give an object with any of: ${known.join(', ')}.`,
    )
  }
  for (const name of Object.keys(given)) {
    if (!(known as readonly string[]).includes(name)) throw unknownOption(where, name, known)
  }
  return given as Readonly<Partial<Record<Name, unknown>>>
}

function unknownOption(where: string, name: string, known: readonly string[]): PawlError {
  const meant = suggest(name, known)
  const help = meant === undefined ? `Known options: ${known.join(', ')}.` : `Did you mean "${meant}"?`
  return new PawlError('PAWL_OPTION', `${where} has no option ${shown(name)}. ${help}`)
}

/** One of a few words. */
export function oneOf<Word extends string>(
  value: unknown,
  option: string,
  words: readonly Word[],
  fallback: Word,
): Word {
  if (value === undefined) return fallback
  if ((words as readonly unknown[]).includes(value)) return value as Word
  const meant = typeof value === 'string' ? suggest(value, words) : undefined
  const help = meant === undefined ? '' : ` Did you mean '${meant}'?`
  throw new PawlError(
    'PAWL_OPTION',
    `"${option}" is ${shown(value)}; it may be ${words.map((word) => `'${word}'`).join(', ')}.${help}`,
  )
}

export function boolean(value: unknown, option: string, fallback: boolean): boolean {
  if (value === undefined) return fallback
  if (typeof value === 'boolean') return value
  throw new PawlError('PAWL_OPTION', `"${option}" is ${shown(value)}; it is true or false.`)
}

/** A whole number within limits. */
export function count(value: unknown, option: string, limits: { min: number; max: number; fallback: number }): number {
  if (value === undefined) return limits.fallback
  if (Number.isInteger(value) && (value as number) >= limits.min && (value as number) <= limits.max)
    return value as number
  throw new PawlError(
    'PAWL_OPTION',
    `"${option}" is ${shown(value)}; it is a whole number from ${limits.min} to ${limits.max}.`,
  )
}

/** A number of at least `min`. */
export function numberFrom(min: number, value: unknown, option: string, fallback: number): number {
  if (value === undefined) return fallback
  if (typeof value === 'number' && Number.isFinite(value) && value >= min) return value
  throw new PawlError('PAWL_OPTION', `"${option}" is ${shown(value)}; it is a number of at least ${min}.`)
}
