import type { HistoryEntry, RunHandle as Contract, RunStatus, SignalReceipt } from '../../index'
import { encode, type Payload } from '../codec'
import { name, note, optionalDuration, optionsOf, shown } from '../options'
import { admit } from '../schema'
import { attributed } from './attributed'
import type { Connection } from './connection'
import type { HistoryEntryDto, StatusDto } from './dto'
import { outputOf } from './ended'
import { statusOf } from './status'

export class RunHandle<Output = unknown> implements Contract<Output> {
  readonly #connection: Connection

  constructor(
    connection: Connection,
    readonly id: string,
    readonly existing: boolean,
  ) {
    this.#connection = connection
  }

  result(options?: unknown): Promise<Output> {
    return attributed(this.result, async () => {
      const { timeout } = optionsOf('result()', options, ['timeout'])
      const timeoutMs = optionalDuration(timeout, 'timeout')
      return outputOf(statusOf<Output>(await this.#call<StatusDto>('result', { timeoutMs })))
    })
  }

  status(): Promise<RunStatus<Output>> {
    return attributed(this.status, async () => statusOf<Output>(await this.#call<StatusDto>('status')))
  }

  signal(signal: unknown, payload?: unknown, options?: unknown): Promise<SignalReceipt> {
    return attributed(this.signal, async () => {
      const { key } = optionsOf('signal()', options, ['key'])
      const args = {
        name: name(signal, 'signal()', 'name of the signal'),
        key: key === undefined ? null : name(key, 'signal()', 'option "key"'),
      }
      const message = this.#connection.checks(args.name)
        ? await this.#checked(args.name, payload)
        : encode(payload, 'payload')
      const { data } = await this.#call<SignalReceipt>('signal', args, message)
      return { duplicate: data.duplicate }
    })
  }

  cancel(options?: unknown): Promise<void> {
    return attributed(this.cancel, async () => this.#control('cancel', reasonOf('cancel()', options)))
  }

  pause(options?: unknown): Promise<void> {
    return attributed(this.pause, async () => this.#control('pause', reasonOf('pause()', options)))
  }

  resume(options?: unknown): Promise<void> {
    return attributed(this.resume, async () => {
      const { by } = optionsOf('resume()', options, ['by'])
      return this.#control('resume', { by: note(by, 'by') })
    })
  }

  history(): Promise<HistoryEntry[]> {
    return attributed(this.history, async () => {
      const { data } = await this.#call<{ entries: HistoryEntryDto[] }>('history')
      return data.entries.map(toEntry)
    })
  }

  /** Flows with the same names of signals may differ in schemas, so the run says which one it belongs to. */
  async #checked(signal: string, value: unknown): Promise<Payload> {
    const { data } = await this.#call<StatusDto>('status')
    const schema = this.#connection.payloadSchema(data.hash, signal)
    return admit(schema, { value, at: 'payload', what: `The payload of signal ${shown(signal)}` })
  }

  async #control(op: string, args: object): Promise<void> {
    await this.#call(op, args)
  }

  #call<T>(op: string, args: object = {}, payload?: { codec: number; text: string }) {
    return this.#connection.engine.call<T>(op, { id: this.id, ...args }, payload)
  }
}

function reasonOf(where: string, options: unknown): { reason: string | null; by: string | null } {
  const { reason, by } = optionsOf(where, options, ['reason', 'by'])
  return { reason: note(reason, 'reason'), by: note(by, 'by') }
}

function toEntry({ at, kind, path, attempt, code, message, detail }: HistoryEntryDto): HistoryEntry {
  return { at: new Date(at), kind: kind as HistoryEntry['kind'], node: path, attempt, code, message, detail }
}
