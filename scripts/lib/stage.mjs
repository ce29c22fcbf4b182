import { spawn } from 'node:child_process'
import { root } from './root.mjs'

/** A stage that did not end well. Its output has been printed already. */
export class StageFailed extends Error {}

/** `npm` is a script on Windows, so a shell must start it there. */
const NEEDS_SHELL = process.platform === 'win32'

/** Runs a command and answers `{ code, output }`, both streams in the order they came. */
export function capture(command, args, { env } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      shell: NEEDS_SHELL,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.on('error', (error) => fail(failed(`\`${command}\` could not be started: ${error.message}`)))
    child.on('close', (code, signal) => done({ code: code ?? signal, output: Buffer.concat(chunks).toString() }))
  })
}

/**
 * One line when a stage begins, one with its time when it ends, and all of its output if it fails. `work` answers a
 * short note for the closing line, or throws `StageFailed`.
 */
export async function stage(name, work) {
  const begun = performance.now()
  if (process.stdout.isTTY) process.stdout.write(`… ${name}`)
  const line = (mark, note) => {
    const seconds = `${((performance.now() - begun) / 1000).toFixed(1)} s`
    const text = `${mark} ${name.padEnd(24)} ${seconds.padStart(8)}${note ? `   ${note}` : ''}`
    console.log(process.stdout.isTTY ? `\r\x1b[2K${text}` : text)
  }
  try {
    const note = await work()
    line('✓', note)
    return note
  } catch (error) {
    line('✗', error instanceof StageFailed ? error.note : undefined)
    throw error
  }
}

/** Runs a command that must succeed. */
export async function must(command, args, options) {
  const { code, output } = await capture(command, args, options)
  if (code !== 0) throw failed(`\`${[command, ...args].join(' ')}\` ended with ${code}`, output)
}

/** What a failed stage says: its whole output, then one sentence. */
export function failed(sentence, output = '', note = undefined) {
  const error = new StageFailed(output ? `${output.trimEnd()}\n\n${sentence}` : sentence)
  error.note = note
  return error
}

/** Runs a script's main function: a failed stage ends the process with its message and code 1, without a stack. */
export async function main(work) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof StageFailed)) throw error
    console.error(`\n${error.message}`)
    process.exitCode = 1
  }
}
