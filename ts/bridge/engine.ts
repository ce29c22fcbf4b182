import { decode } from '../codec'
import { CallSite, PawlError, toErrorCode } from '../errors'
import { MESSAGE_LENGTH, Message, type NativeEngine } from '../native'
import { Attempts, type Job } from './attempts'
import { Keeper } from './keeper'
import { LOADER, loadNative } from './load'
import { openFile } from './one-copy'

/** A value as it is stored: `codec` says how `text` is read. */
export interface Encoded {
  readonly codec: number
  readonly text: string
}

/** What an operation is answered with; `payload` is a user's value that belongs to it. */
export interface Answer<T> {
  readonly data: T
  readonly payload: Encoded | null
}

interface Pending {
  readonly site: CallSite
  readonly resolve: (answer: Answer<never>) => void
  readonly reject: (error: PawlError) => void
}

/**
 * The JavaScript side of one connection. Promises and errors that users see are made here, in their own realm; the
 * native side only knows numbers. While somebody waits for an answer, the process stays alive.
 */
export class Engine {
  readonly attempts: Attempts
  readonly #native: NativeEngine
  readonly #pending = new Map<number, Pending>()
  readonly #keeper: Keeper
  #lastCall = 0
  #closing: Promise<void> | undefined
  #disposed = false
  #letGo: () => void = () => undefined

  constructor() {
    this.#native = loadNative().createEngine((batch) => this.#deliver(batch))
    this.#keeper = new Keeper((held) => this.#native.hold(held))
    this.attempts = new Attempts(this.#native, this.#keeper, async (run, path) => {
      const { data, payload } = await this.call<{ found: boolean }>('output', { run, path })
      return { found: data.found, codec: payload?.codec ?? 0, text: payload?.text ?? 'null' }
    })
  }

  /** An engine that is connected to a store. */
  static async connect(url: string, clientName: string | null = null): Promise<Engine> {
    const engine = new Engine()
    try {
      engine.#letGo = openFile(url, LOADER)
      await engine.call('connect', { url, clientName }, null, Engine.connect)
      return engine
    } catch (error) {
      engine.#dispose()
      throw error
    }
  }

  /**
   * Asks the native side for something. `entry` is the public function that the user called: an error's stack begins
   * there. All members of `args` must be set; what is not there is `null`.
   */
  call<T>(
    op: string,
    args: object,
    payload: Encoded | null = null,
    entry: (...args: never[]) => unknown = Engine.prototype.call,
  ): Promise<Answer<T>> {
    const site = new CallSite(entry)
    return new Promise<Answer<T>>((resolve, reject) => {
      if (this.#disposed) {
        return reject(
          site.mark(new PawlError('PAWL_CLOSED', 'This connection is closed; open a new one with Pawl.connect()')),
        )
      }
      this.#lastCall += 1
      this.#pending.set(this.#lastCall, { site, resolve: resolve as Pending['resolve'], reject })
      this.#keeper.take()
      this.#native.call(this.#lastCall, op, JSON.stringify(args), payload?.codec ?? 0, payload?.text ?? null)
    })
  }

  /** Ends everything that runs over this connection and lets go of the store. Closing twice is closing once. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      await this.call('close', {}, null, Engine.prototype.close)
    } finally {
      this.#dispose()
    }
  }

  #dispose(): void {
    this.#disposed = true
    this.#letGo()
    this.#letGo = () => undefined
    this.#native.dispose()
    for (const { site, reject } of this.#pending.values()) {
      reject(site.mark(new PawlError('PAWL_CLOSED', 'The connection was closed before the answer came')))
    }
    this.#pending.clear()
  }

  /** Called by Node: an exception that left this function would be nobody's, so each message answers for itself. */
  #deliver(batch: unknown[]): void {
    for (let at = 0; at < batch.length; ) {
      const kind = batch[at] as keyof typeof MESSAGE_LENGTH
      try {
        this.#receive(kind, batch, at + 1)
      } catch (error) {
        process.emitWarning(`pawl could not handle a message of its engine (${kind}): ${String(error)}`, 'PawlWarning')
      }
      at += MESSAGE_LENGTH[kind]
    }
  }

  /** Reads the elements in the order of `Message` in native.ts. */
  #receive(kind: number, batch: unknown[], at: number): void {
    switch (kind) {
      case Message.Run:
        this.attempts.run(toJob(batch, at))
        break
      case Message.Abort:
        this.attempts.abort(batch[at] as number, toErrorCode(batch[at + 1]), batch[at + 2] as string)
        break
      case Message.Reply: {
        const text = batch[at + 4] as string | null
        const payload = text === null ? null : { codec: batch[at + 3] as number, text }
        this.#answer(batch[at] as number, batch[at + 1] as boolean, batch[at + 2] as string, payload)
        break
      }
      case Message.Event:
        this.attempts.tell(batch[at] as number, batch[at + 1] as string, batch[at + 2] as string)
        break
    }
  }

  #answer(call: number, ok: boolean, json: string, payload: Encoded | null): void {
    const pending = this.#pending.get(call)
    if (pending === undefined) return
    this.#pending.delete(call)
    this.#keeper.release()
    if (ok) pending.resolve({ data: JSON.parse(json) as never, payload })
    else pending.reject(pending.site.mark(toError(json, payload)))
  }
}

function toJob(batch: unknown[], at: number): Job {
  return {
    worker: batch[at] as number,
    id: batch[at + 1] as number,
    flowIndex: batch[at + 2] as number,
    nodeIndex: batch[at + 3] as number,
    runNo: batch[at + 4] as number,
    runId: batch[at + 5] as string,
    path: batch[at + 6] as string,
    attempt: batch[at + 7] as number,
    deadlineAt: batch[at + 8] as number | null,
    codec: batch[at + 9] as number,
    input: batch[at + 10] as string,
  }
}

function toError(json: string, payload: Encoded | null): PawlError {
  const { code, message } = JSON.parse(json) as { code: string; message: string }
  return new PawlError(
    toErrorCode(code),
    message,
    payload === null ? {} : { cause: decode(payload.codec, payload.text) },
  )
}
