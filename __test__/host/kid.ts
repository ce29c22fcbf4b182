import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until'

export { until }

export interface Told {
  readonly what: string
  readonly at: number
  readonly data?: any
}

/** How a program ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A process that runs one of the programs, tells what it does, and does what it is told. */
export class Kid {
  readonly told: Told[] = []
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #stdout = ''
  #heard: () => void = () => undefined

  constructor(program: string, ...args: string[]) {
    this.#child = fork(join(__dirname, 'programs', program), args, { silent: true, execArgv: [] })
    let stderr = ''
    this.#child.stdout?.on('data', (text) => (this.#stdout += text))
    this.#child.stderr?.on('data', (text) => (stderr += text))
    this.#child.on('message', (message) => {
      this.told.push(message as Told)
      this.#heard()
    })
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        resolve({ code, signal, stdout: this.#stdout, stderr })
        this.#heard()
      })
    })
  }

  /** All that it has told of one kind. */
  all(what: string): Told[] {
    return this.told.filter((told) => told.what === what)
  }

  /** Resolves with the `nth` thing of a kind that it tells. The limit is only there so that a fault does not hang the suite. */
  async tells(what: string, nth = 1, limitMs = 20_000): Promise<Told> {
    const giveUpAt = Date.now() + limitMs
    for (;;) {
      const told = this.all(what)[nth - 1]
      if (told !== undefined) return told
      const left = giveUpAt - Date.now()
      if (left <= 0 || this.#child.exitCode !== null) throw new Error(await this.#silence(what))
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#heard = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** Resolves once it has written this to its output. */
  async says(text: string): Promise<void> {
    await until(`a process says "${text}"`, () => this.#stdout.includes(text))
  }

  send(what: string, data?: unknown): void {
    this.#child.send({ what, data })
  }

  /** Sends it a signal of the operating system, and waits for its end. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }

  async #silence(what: string): Promise<string> {
    const end = this.#child.exitCode === null ? 'it is running' : JSON.stringify(await this.ended)
    return `a process did not tell "${what}"; it told ${JSON.stringify(this.told)}, and ${end}`
  }
}

/** A folder for one test file, and the processes that work in it. */
export class Ground {
  readonly folder = mkdtempSync(join(tmpdir(), 'pawl-host-'))
  readonly #kids: Kid[] = []
  #lastFile = 0

  /** A database that is not there yet. */
  database(): string {
    this.#lastFile += 1
    return join(this.folder, `runs-${this.#lastFile}.db`)
  }

  kid(program: string, ...args: string[]): Kid {
    const kid = new Kid(program, ...args)
    this.#kids.push(kid)
    return kid
  }

  /** Ends what is left of the processes of a test. */
  async clear(): Promise<void> {
    await Promise.all(this.#kids.splice(0).map((kid) => kid.kill()))
  }

  async remove(): Promise<void> {
    await this.clear()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The value that half of the values are below. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
