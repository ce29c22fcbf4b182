/** Starting a program and listening to what it prints: shared by the demo and the examples' tests. */
const { spawn } = require('node:child_process')
const { createInterface } = require('node:readline')

/**
 * @param {string} script @param {string[]} [args] @param {{ env?: Record<string, string>, show?: boolean }} [options]
 * `show` passes its output on to this process's terminal instead of collecting it.
 */
function startChild(script, args = [], { env = {}, show = false } = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
  })
  /** @type {string[]} */
  const output = []
  /** @type {Set<(line: string | null) => void>} */
  const listeners = new Set()
  let over = false
  const hear = (line) => {
    if (line === null) over = true
    else output.push(line)
    for (const listener of listeners) listener(line)
  }
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', hear)
  }
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      hear(null)
      resolve({ code, signal })
    })
  })

  /** The first line that matches, printed already or still to come. @param {RegExp} pattern @returns {Promise<RegExpExecArray>} */
  function line(pattern) {
    return new Promise((resolve, reject) => {
      const listener = (text) => {
        const match = text === null ? null : pattern.exec(text)
        if (match === null && text !== null) return
        listeners.delete(listener)
        if (match !== null) resolve(match)
        else reject(new Error(`${script} ended without printing ${pattern}; it printed:\n${output.join('\n')}`))
      }
      listeners.add(listener)
      for (const text of over ? [...output, null] : [...output]) if (listeners.has(listener)) listener(text)
    })
  }

  return {
    pid: child.pid,
    line,
    ended,
    output: () => output.join('\n'),
    kill: (signal) => child.kill(signal),
  }
}

module.exports = { startChild }
