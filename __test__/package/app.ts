import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(__dirname, '../..')
const fixtures = join(__dirname, 'fixtures')

/** What a program left behind. */
export interface Ended {
  code: number | string | null
  stdout: string
  stderr: string
}

/** A folder of its own with pawl installed from its tarballs, as on a machine that has neither Rust nor a network. */
export class App {
  readonly folder = mkdtempSync(join(tmpdir(), 'pawl-app-'))

  /** Packs what is built. Answers the tarballs: the main package first. */
  static async pack(folder: string): Promise<string[]> {
    const packed = await run(process.execPath, [join(root, 'scripts/pack.mjs'), '--as-built', folder], root)
    if (packed.code !== 0) throw new Error(`packing failed:\n${packed.stdout}${packed.stderr}`)
    return packed.stdout.trim().split('\n')
  }

  async install(tarballs: string[]): Promise<void> {
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ name: 'app', private: true }))
    const flags = ['--offline', '--no-audit', '--no-fund', '--cache', join(this.folder, '.npm-cache')]
    const installed = await run('npm', ['install', ...flags, ...tarballs], this.folder)
    if (installed.code !== 0) throw new Error(`npm install failed:\n${installed.stdout}${installed.stderr}`)
  }

  /** Copies the files of a fixture into the app. */
  add(fixture: string): void {
    for (const name of readdirSync(join(fixtures, fixture)))
      cpSync(join(fixtures, fixture, name), join(this.folder, name))
  }

  /** Lends the app a package of this checkout, so that the test needs no network. */
  lend(name: string): void {
    symlinkSync(join(root, 'node_modules', name), this.path('node_modules', name), 'junction')
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts)
  }

  node(...args: string[]): Promise<Ended> {
    return run(process.execPath, args, this.folder)
  }

  /** A program that goes on until it is told to stop. */
  service(file: string): Service {
    return new Service(file, this.folder)
  }

  /** Writes a file of the app, with its folders. */
  write(path: string, text: string): void {
    mkdirSync(join(this.folder, path, '..'), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export class Service {
  #output = ''
  readonly #child
  readonly ended: Promise<Ended>

  constructor(file: string, cwd: string) {
    this.#child = spawn(process.execPath, [file], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stdout.on('data', (chunk) => (this.#output += chunk))
    let stderr = ''
    this.#child.stderr.on('data', (chunk) => (stderr += chunk))
    this.ended = new Promise((done) => {
      this.#child.on('close', (code, signal) => done({ code: code ?? signal, stdout: this.#output, stderr }))
    })
  }

  /** The first match in what the service prints, as soon as it is there. */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((found, fail) => {
      const look = () => {
        const match = pattern.exec(this.#output)
        if (match) found(match)
      }
      this.#child.stdout.on('data', look)
      look()
      this.ended.then(
        (ended) => fail(new Error(`it ended without printing ${pattern}: ${JSON.stringify(ended)}`)),
        fail,
      )
    })
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}

function run(command: string, args: string[], cwd: string): Promise<Ended> {
  return new Promise((done) => {
    const env = { ...process.env, NODE_PATH: '', NODE_OPTIONS: '' }
    execFile(command, args, { cwd, env, maxBuffer: 64 << 20, timeout: 120_000 }, (error, stdout, stderr) => {
      done({ code: error ? (error.code ?? error.signal ?? 1) : 0, stdout, stderr })
    })
  })
}
