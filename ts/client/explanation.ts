import type { Explanation } from '../../index'
import { dateOrNull, type ExplanationDto } from './dto'

export function explanationOf({ id, status, summary, open }: ExplanationDto): Explanation {
  const branches = open.map(({ path, phase, attempt, failures, dueAt, worker, waitsFor }) => {
    return { node: path, phase, attempt, failures, dueAt: dateOrNull(dueAt), worker, waitsFor }
  })
  return { id, status, summary, open: branches }
}
