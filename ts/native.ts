/**
 * The native side as the addon exports it. Data only: numbers, strings and JSON text go in and out; no native error or
 * promise ever reaches a user, because those belong to another realm under jest.
 */
export interface NativeModule {
  /** One engine for one `Pawl` connection. `deliver` is called on this thread with a flat batch of messages. */
  createEngine(deliver: (batch: unknown[]) => void): NativeEngine
  /** Checks a definition (JSON). Answers JSON: `{ "hash": "…" }` or `{ "problems": [{ "path": "…", "message": "…" }] }`. */
  checkFlow(definition: string): string
  /** All error codes of the native side, in the order of docs/ERRORS.md. */
  errorCodes(): string[]
}

export interface NativeEngine {
  /** One request. Its answer comes as a REPLY with the same number. Never throws for a wrong request: the REPLY says so. */
  call(call: number, op: string, args: string, codec: number, payload: string | null): void
  /**
   * Outcomes of attempts, as parallel arrays. `codecs[i] >= 0`: it returned the value `texts[i]`. `-1`: it threw;
   * `texts[i]` is JSON `{ code, message, retryable, retryAfterMs, causeCodec, cause }` with `null` for what is unset.
   */
  outcomes(worker: number, attempts: number[], codecs: number[], texts: string[]): void
  /** While held, the engine keeps the process alive. */
  hold(held: boolean): void
  /** Lets go of `deliver`: nothing is delivered any more. Comes after the answer to `close`. */
  dispose(): void
}

/** Messages lie one after the other in a batch; the first element of each tells its kind and thereby its length. */
export const enum Message {
  /** `RUN, worker, attemptId, flowIndex, nodeIndex, runNo, runId, path, attempt, deadlineAt | null, codec, input` */
  Run = 1,
  /** `ABORT, attemptId, code, message` */
  Abort = 2,
  /** `REPLY, call, ok, json, codec, payload | null` — not ok: json is `{ code, message }`, the payload is the cause. */
  Reply = 3,
  /** `EVENT, worker, name, json` */
  Event = 4,
}

/** How many elements each message takes, by its kind. */
export const MESSAGE_LENGTH = { 1: 12, 2: 4, 3: 6, 4: 4 } as const
