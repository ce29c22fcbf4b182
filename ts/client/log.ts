import type { LogEntry } from '../../index'
import type { LogSink } from '../bridge'
import { PawlError } from '../errors'
import { shown } from '../options'

/** Receives what steps write with `ctx.log`. */
export type Log = (entry: LogEntry) => void

/** The option `log`; without one the log goes elsewhere, by default to the console. */
export function logOption(log: unknown, otherwise: Log = toConsole): Log {
  if (log === undefined) return otherwise
  if (typeof log === 'function') return log as Log
  throw new PawlError('PAWL_OPTION', `"log" is ${shown(log)}; give a function that takes one entry.`)
}

/** A log as the bridge calls it. One that throws must not look like a step that throws. */
export function sinkOf(log: Log): LogSink {
  return (level, message, fields, { runId, path, attempt }) => {
    try {
      log({ level, message, fields: fields ?? {}, runId, node: path, attempt })
    } catch (error) {
      warn('a log function failed', error)
    }
  }
}

/** Says something on the process's warning channel, which never throws. */
export function warn(what: string, problem: unknown): void {
  const text = problem instanceof Error ? (problem.stack ?? problem.message) : shown(problem)
  process.emitWarning(`${what}: ${text}`, 'PawlWarning')
}

function toConsole({ level, message, fields, runId, node, attempt }: LogEntry): void {
  console[level](message, { ...fields, runId, node, attempt })
}
