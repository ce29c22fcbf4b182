import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, Pawl, PawlError, type RunHandle } from 'pawl'
import { six } from './six-nodes.cjs'
import { until } from '../until'

export { until }

/** A run of it is only ever written, and nobody works on it. */
const probe = flow<null>('probe').signal('never').build()

export interface Line {
  readonly name: string
  readonly pid: number
  readonly attempt: number
}

/** A process that works on the run, and what it has told so far. */
export class Kid {
  readonly messages: Record<string, unknown>[] = []
  private constructor(
    private readonly stage: Stage,
    private readonly child: ChildProcess,
  ) {
    child.on('message', (message) => this.messages.push(message as Record<string, unknown>))
  }

  static async start(stage: Stage, way: string, gates: 'open' | 'shut'): Promise<Kid> {
    const child = fork(join(__dirname, 'six-nodes.cjs'), [stage.database, stage.lines, way, gates], { execArgv: [] })
    const kid = new Kid(stage, child)
    stage.kids.push(kid)
    await until('the process is ready', () => kid.messages.some((message) => message.ready))
    return kid
  }

  get pid(): number {
    return Number(this.child.pid)
  }

  get dead(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  go(name: string): void {
    this.child.send({ go: name })
  }

  async entered(name: string): Promise<void> {
    await until(`${name} has begun`, () => this.messages.some((message) => message.entered === name))
  }

  aborted(name: string): unknown {
    return this.messages.find((message) => message.aborted === name)?.code
  }

  /**
   * Stops it where it is, but not in the middle of a transaction: a stopped process would keep the database's lock for as
   * long as it is stopped, and no other process could do anything about it. docs/ERRORS.md says so at PAWL_STORE_BUSY.
   */
  async freeze(): Promise<void> {
    for (;;) {
      this.child.kill('SIGSTOP')
      await until('the process is stopped', () => /^State:\tT/m.test(readFileSync(`/proc/${this.pid}/status`, 'utf8')))
      if (await this.stage.isWritable()) return
      this.thaw()
    }
  }

  thaw(): void {
    this.child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    if (this.dead) return
    const gone = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await gone
  }

  /** Asks it to end in good order; answers its exit code. */
  async stop(): Promise<number | null> {
    const gone = once(this.child, 'exit')
    this.child.send('stop')
    await gone
    return this.child.exitCode
  }
}

/** A database, a started run, and the processes around it. */
export class Stage {
  readonly kids: Kid[] = []
  private constructor(
    private readonly folder: string,
    readonly pawl: Pawl,
    readonly run: RunHandle,
  ) {}

  static async open(): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-crash-'))
    const pawl = await Pawl.connect(`sqlite:${join(folder, 'runs.db')}`)
    return new Stage(folder, pawl, await pawl.start(six, 1, { id: 'the-run' }))
  }

  get database(): string {
    return join(this.folder, 'runs.db')
  }

  get lines(): string {
    return join(this.folder, 'lines')
  }

  /** Which functions were begun, by whom. */
  begun(): Line[] {
    if (!existsSync(this.lines)) return []
    return readFileSync(this.lines, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  /** Whether no other process holds the database's lock. */
  async isWritable(): Promise<boolean> {
    try {
      await this.pawl.start(probe, null, { id: 'probe', onConflict: 'useExisting' })
      return true
    } catch (error) {
      if (PawlError.is(error) && error.code === 'PAWL_STORE_BUSY') return false
      throw error
    }
  }

  /** The nodes whose results are recorded, in order. */
  async recorded(): Promise<(string | null)[]> {
    return (await this.run.history()).filter((entry) => entry.kind === 'nodeCompleted').map((entry) => entry.node)
  }

  async hasRecorded(node: string): Promise<void> {
    await until(`${node} is recorded`, async () => (await this.recorded()).includes(node))
  }

  async close(): Promise<void> {
    await Promise.all(this.kids.map((kid) => kid.kill()))
    await this.pawl.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
