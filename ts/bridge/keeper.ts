/** Counts the reasons to keep the process alive, and tells about the first and the last one. */
export class Keeper {
  #count = 0
  readonly #hold: (held: boolean) => void

  constructor(hold: (held: boolean) => void) {
    this.#hold = hold
  }

  take(): void {
    this.#count += 1
    if (this.#count === 1) this.#hold(true)
  }

  release(): void {
    this.#count -= 1
    if (this.#count === 0) this.#hold(false)
  }
}
