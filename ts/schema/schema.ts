import { PawlError } from '../errors'
import { shown } from '../options'

/** A Standard Schema (https://standardschema.dev), as far as it is used here. What its function answers is not trusted. */
export interface Schema {
  readonly '~standard': {
    readonly version: 1
    readonly validate: (value: unknown) => unknown
  }
}

/** An option that may be left out. `where` names the call, as in `step "charge"`. */
export function optionalSchema(value: unknown, where: string, option: string): Schema | undefined {
  if (value === undefined || isSchema(value)) return value
  const help = 'give a schema of a library that follows Standard Schema 1, such as zod (from 3.24), valibot or arktype.'
  throw new PawlError('PAWL_OPTION', `${where}: option "${option}" is ${shown(value)}, and no schema; ${help}`)
}

function isSchema(value: unknown): value is Schema {
  // Schemas of arktype are functions.
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  try {
    const standard = (value as Partial<Schema>)['~standard']
    return standard?.version === 1 && typeof standard.validate === 'function'
  } catch {
    // A getter or a proxy that throws is no schema either.
    return false
  }
}
