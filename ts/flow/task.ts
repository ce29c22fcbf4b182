import type { StepFunction } from '../bridge'
import { PawlError } from '../errors'
import { shown } from '../options'
import type { Work } from './chain'
import { stepOptions } from './policy'

/** Registered, so that tasks of another copy of pawl are recognised too. */
const WORK = Symbol.for('pawl.task.work')

/** A named function with options. */
export class Task {
  readonly name: string
  readonly fn: StepFunction
  readonly options: Readonly<Record<string, unknown>>
  declare readonly [WORK]: Work

  constructor(name: unknown, fn: unknown, options: unknown) {
    this.name = text(name, 'task()', 'name')
    const where = `task ${shown(name)}`
    this.fn = stepFunction(fn, where)
    const work: Work = { fn: this.fn, ...stepOptions(where, options) }
    this.options = Object.freeze({ ...(options as object | undefined) })
    Object.defineProperty(this, WORK, { value: work })
    Object.freeze(this)
  }
}

export function task(name: unknown, fn: unknown, options?: unknown): Task {
  return new Task(name, fn, options)
}

export function isTask(value: unknown): value is Task {
  return typeof value === 'object' && value !== null && WORK in value
}

export function workOfTask(task: Task): Work {
  return task[WORK]
}

/** A function that will be run as a step. */
export function stepFunction(fn: unknown, where: string): StepFunction {
  if (typeof fn === 'function') return fn as StepFunction
  throw new PawlError(
    'PAWL_ARGUMENT',
    `${where}: the function is ${shown(fn)}; give a function (input, ctx) => output.`,
  )
}

/** A name. What it may consist of is checked when the flow is built, together with everything else. */
export function text(value: unknown, where: string, what: string): string {
  if (typeof value === 'string') return value
  throw new PawlError('PAWL_ARGUMENT', `${where}: the ${what} is ${shown(value)}; give a text.`)
}
