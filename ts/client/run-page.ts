import type { RunPage as Contract, RunSummary } from '../../index'

/** Gets the page behind a cursor. */
export type Turn = (cursor: string) => Promise<RunPage>

export class RunPage implements Contract {
  readonly #turn: Turn

  constructor(
    readonly runs: readonly RunSummary[],
    readonly cursor: string | null,
    turn: Turn,
  ) {
    this.#turn = turn
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunSummary, void, undefined> {
    yield* this.runs
    for (let cursor = this.cursor; cursor !== null; ) {
      const page = await this.#turn(cursor)
      yield* page.runs
      cursor = page.cursor
    }
  }
}
