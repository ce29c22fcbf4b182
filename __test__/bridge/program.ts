import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** How long a program may take before it counts as hanging. */
const PATIENCE_MS = 25_000

export interface Program {
  readonly pid: number
  readonly ended: Promise<Ended>
  /** Resolves when the program has written something, or ended. */
  readonly spoken: Promise<unknown>
}

/** Starts one of the programs beside this file. */
export function begin(name: string, ...args: string[]): Program {
  const child = spawn(process.execPath, [join(__dirname, 'programs', name), ...args], { timeout: PATIENCE_MS })
  const ended: Ended = { code: null, signal: null, stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (ended.stdout += text))
  child.stderr.on('data', (text) => (ended.stderr += text))
  const done = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ ...ended, code, signal }))
  })
  const spoken = Promise.race([done, new Promise((resolve) => child.stdout.once('data', resolve))])
  return { pid: child.pid as number, ended: done, spoken }
}

/** Runs one of the programs beside this file to its end. */
export const program = (name: string, ...args: string[]): Promise<Ended> => begin(name, ...args).ended
