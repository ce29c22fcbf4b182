import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyFlow, type Flow, Pawl, type RunHandle, type RunStatus, Worker } from 'pawl'
import { until as waitUntil } from '../until'

/** The stores and the ways of running in which every verb means the same. */
export const STORES = ['memory', 'sqlite'] as const
export const WAYS = ['pawl.run', 'Worker'] as const
export type Store = (typeof STORES)[number]
export type Way = (typeof WAYS)[number]

/** One store and one way of running, behind one face: a scenario cannot tell which it is played on. */
export interface Rig {
  readonly pawl: Pawl
  readonly store: Store
  readonly way: Way
  /** Starts a run and lets it go. */
  begin(flow: AnyFlow, input?: unknown, id?: string): Promise<RunHandle>
  /** Starts a run that nobody works on before `release`. */
  queue(flow: AnyFlow, input?: unknown, id?: string): Promise<RunHandle>
  /** Lets queued runs of the flow go. */
  release(flow: AnyFlow): Promise<void>
  /** The status once the run has ended or is parked: nothing of it runs or is due. */
  settled(run: RunHandle): Promise<RunStatus>
  /** The status once the run has ended, driving it there over its delays. */
  ended(run: RunHandle): Promise<RunStatus>
  close(): Promise<void>
}

export const until = (what: string, probe: () => boolean | Promise<boolean>) => waitUntil(what, probe, 10_000)

/** A promise that the test settles. */
export function gate<Value = void>() {
  let open!: (value: Value) => void
  const opened = new Promise<Value>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

export async function rig(store: Store, way: Way): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-semantics-'))
  const pawl = await Pawl.connect(store === 'memory' ? 'memory:' : `sqlite:${join(folder, 'runs.db')}`)
  const end = async () => {
    await pawl.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return way === 'Worker' ? workerRig(pawl, store, end) : runnerRig(pawl, store, end)
}

const queue = (pawl: Pawl, flow: AnyFlow, input?: unknown, id?: string): Promise<RunHandle> =>
  pawl.start(flow as Flow<unknown>, input, id === undefined ? {} : { id })

const isParked = (status: RunStatus) => status.status !== 'running'
const isOver = ({ status }: RunStatus) => status === 'completed' || status === 'failed' || status === 'cancelled'

/** One worker per flow, started with the first run of it. */
function workerRig(pawl: Pawl, store: Store, close: () => Promise<void>): Rig {
  const workers = new Map<AnyFlow, Worker>()
  const work = async (flow: AnyFlow) => {
    if (workers.has(flow)) return
    const worker = new Worker(pawl, { flows: [flow] })
    workers.set(flow, worker)
    await worker.start()
  }
  const reached = async (run: RunHandle, there: (status: RunStatus) => boolean) => {
    let status = await run.status()
    await until(`the run ${run.id} is where it should be (it is ${JSON.stringify(status)})`, async () => {
      status = await run.status()
      return there(status)
    })
    return status
  }
  return {
    pawl,
    store,
    way: 'Worker',
    begin: async (flow, input, id) => {
      await work(flow)
      return queue(pawl, flow, input, id)
    },
    queue: (flow, input, id) => queue(pawl, flow, input, id),
    release: work,
    settled: (run) => reached(run, isParked),
    ended: (run) => reached(run, isOver),
    close: async () => {
      await Promise.all([...workers.values()].map((worker) => worker.stop({ drain: 0 })))
      await close()
    },
  }
}

let nextId = 0

/** `pawl.run` and `pawl.resume`, called again whenever the run has something to do. */
function runnerRig(pawl: Pawl, store: Store, close: () => Promise<void>): Rig {
  const driving = new Map<string, Promise<unknown>>()
  const driven = async (run: RunHandle, there: (status: RunStatus) => boolean) => {
    await driving.get(run.id)
    let status: RunStatus = await pawl.resume(run.id)
    await until(`the run ${run.id} is where it should be (it is ${status.status})`, async () => {
      if (!there(status)) status = await pawl.resume(run.id)
      return there(status)
    })
    return status
  }
  return {
    pawl,
    store,
    way: 'pawl.run',
    begin: async (flow, input, id = `semantics-${nextId++}`) => {
      driving.set(id, pawl.run(flow as Flow<unknown>, input, { id }))
      driving.get(id)?.catch(() => undefined) // Reported by `settled`, which awaits it.
      const run = pawl.handle(id)
      await until(`the run ${id} is stored`, () =>
        pawl.get(id).then(
          () => true,
          () => false,
        ),
      )
      return run
    },
    queue: (flow, input, id) => queue(pawl, flow, input, id),
    release: async () => undefined, // `settled` and `ended` drive whatever run they are given.
    settled: (run) => driven(run, isParked),
    ended: (run) => driven(run, isOver),
    close: async () => {
      await close() // Ends what is still driven, so that a scenario that failed half-way does not hang here.
      await Promise.allSettled(driving.values())
    },
  }
}
