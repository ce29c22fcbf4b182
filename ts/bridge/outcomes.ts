import type { NativeEngine } from '../native'
import { afterThisTurn, atOnce } from './realm'

/** `codec` of an outcome that is an error: its text is the JSON of a {@link Thrown}. */
export const THREW = -1

interface Batch {
  attempts: number[]
  codecs: number[]
  texts: string[]
}

/**
 * Collects outcomes and hands them over together: one native call for all that end in one turn of the event loop.
 * The last attempt in flight does not wait for others that cannot come: it is handed over at once, which saves a
 * sequential run one turn per step.
 */
export class Outcomes {
  readonly #native: NativeEngine
  readonly #waiting = new Map<number, Batch>()
  #flushComes = false

  constructor(native: NativeEngine) {
    this.#native = native
  }

  add(worker: number, attempt: number, codec: number, text: string, othersInFlight: boolean): void {
    let batch = this.#waiting.get(worker)
    if (batch === undefined) {
      batch = { attempts: [], codecs: [], texts: [] }
      this.#waiting.set(worker, batch)
    }
    batch.attempts.push(attempt)
    batch.codecs.push(codec)
    batch.texts.push(text)

    if (!othersInFlight) {
      atOnce(this.#flush)
    } else if (!this.#flushComes) {
      this.#flushComes = true
      afterThisTurn(this.#flush)
    }
  }

  readonly #flush = (): void => {
    this.#flushComes = false
    for (const [worker, { attempts, codecs, texts }] of this.#waiting) {
      this.#native.outcomes(worker, attempts, codecs, texts)
    }
    this.#waiting.clear()
  }
}
