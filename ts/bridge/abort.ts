import { type ErrorCode, PawlError } from '../errors'

/**
 * The abort of one attempt. Most attempts neither read their signal nor are ever aborted, and an AbortController costs
 * more than the rest of the attempt, so it is made only when one of the two happens.
 */
export class Abort {
  #controller: AbortController | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** Aborts once; a second reason is not news. */
  abort(code: ErrorCode, message: string): void {
    this.#controller ??= new AbortController()
    if (!this.#controller.signal.aborted) this.#controller.abort(new PawlError(code, message))
  }
}
