import { Attempts, type Job } from '../../dist/bridge/attempts'
import { Keeper } from '../../dist/bridge/keeper'

/** An outcome as the native side would get it. */
export interface Outcome {
  attempt: number
  codec: number
  text: string
}

/** What a function that threw is described by. */
export interface ThrownOutcome {
  code: string | null
  message: string
  retryable: boolean
  retryAfterMs: number | null
  causeCodec: number | null
  cause: string | null
}

type Step = (input: unknown, ctx: any) => unknown

/** The part of the bridge that runs functions, with a native side that only writes down what it is told. */
export class Stage {
  /** Each element is one native call. */
  readonly batches: Outcome[][] = []
  readonly attempts: Attempts
  readonly worker: number
  #waiting: { count: number; done: () => void } | undefined
  #lastAttempt = 0

  constructor(step: Step, nodes = [{ scope: '', name: 'step' }]) {
    const outcomes = (_: number, attempts: number[], codecs: number[], texts: string[]) => {
      this.batches.push(attempts.map((attempt, at) => ({ attempt, codec: codecs[at]!, text: texts[at]! })))
      if (this.#waiting !== undefined && this.outcomes.length >= this.#waiting.count) this.#waiting.done()
    }
    const load = async (run: number, path: string) => ({
      found: true,
      codec: 0,
      text: JSON.stringify(`${run}:${path}`),
    })
    this.attempts = new Attempts({ outcomes } as never, new Keeper(() => {}), load)
    const functions = nodes.map(() => step)
    this.worker = this.attempts.register({ flows: [{ name: 'flow', nodes, functions }], keepAlive: false })
  }

  get outcomes(): Outcome[] {
    return this.batches.flat()
  }

  run(job: Partial<Job> = {}): number {
    this.#lastAttempt += 1
    this.attempts.run({
      worker: this.worker,
      id: this.#lastAttempt,
      flowIndex: 0,
      nodeIndex: 0,
      runNo: 7,
      runId: 'order-1',
      path: 'step',
      attempt: 1,
      deadlineAt: null,
      codec: 0,
      input: '1',
      ...job,
    })
    return this.#lastAttempt
  }

  /** Resolves when so many outcomes have come in. */
  async expect(count: number): Promise<Outcome[]> {
    if (this.outcomes.length < count) await new Promise<void>((done) => (this.#waiting = { count, done }))
    return this.outcomes
  }
}

/** Runs one function once and answers its outcome. */
export async function outcomeOf(step: Step): Promise<Outcome> {
  const stage = new Stage(step)
  stage.run()
  return (await stage.expect(1))[0]!
}

/** Runs a function that throws and answers what is recorded about it. */
export async function thrownBy(step: Step): Promise<ThrownOutcome> {
  const { codec, text } = await outcomeOf(step)
  expect(codec).toBe(-1)
  return JSON.parse(text)
}

/** What is recorded about a thrown value. */
export const thrownValue = (value: unknown): Promise<ThrownOutcome> =>
  thrownBy(() => {
    throw value
  })
