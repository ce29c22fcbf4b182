import type { Problem } from './judge'

/** A message stays readable; `problems` of the error has them all. */
const SHOWN_PROBLEMS_MAX = 20

/** Says of a value that it does not fit its schema, and where. `what` begins the sentence. */
export function misfit(what: string, problems: readonly Problem[]): string {
  const [first] = problems
  if (first === undefined) return `${what} does not fit its schema, which does not say why`
  if (problems.length === 1) return `${what} does not fit its schema: ${line(first)}`
  const lines = problems.slice(0, SHOWN_PROBLEMS_MAX).map((problem) => `\n  - ${line(problem)}`)
  const more = problems.length > SHOWN_PROBLEMS_MAX ? `\n  … and ${problems.length - SHOWN_PROBLEMS_MAX} more` : ''
  return `${what} does not fit its schema in ${problems.length} places:${lines.join('')}${more}`
}

const line = ({ path, message }: Problem): string => `${path}: ${message}`
