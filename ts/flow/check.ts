import { PawlError } from '../errors'
import { shown } from '../options'
import { loadNative } from '../bridge'
import type { Compiled } from './compile'
import type { Problem } from './definition'

/** A message stays readable; `problems` of the error has them all. */
const SHOWN_PROBLEMS_MAX = 20

/** The hash of a flow that has no problems. Throws PAWL_FLOW_INVALID, which lists all of them, for any other. */
export function checked({ definition, problems }: Compiled): string {
  const answer = JSON.parse(loadNative().checkFlow(JSON.stringify(definition))) as {
    hash?: string
    problems?: Problem[]
  }
  const all = [...problems, ...(answer.problems ?? [])]
  if (all.length === 0 && answer.hash !== undefined) return answer.hash
  throw invalidFlow(definition.name, all)
}

function invalidFlow(name: string, problems: readonly Problem[]): PawlError {
  const lines = problems
    .slice(0, SHOWN_PROBLEMS_MAX)
    .map(({ path, message }) => `\n  - ${path === '' ? '' : `${path}: `}${message}`)
  const more = problems.length > SHOWN_PROBLEMS_MAX ? `\n  … and ${problems.length - SHOWN_PROBLEMS_MAX} more` : ''
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  return new PawlError('PAWL_FLOW_INVALID', `The flow ${shown(name)} has ${count}:${lines.join('')}${more}`, {
    problems,
  })
}
