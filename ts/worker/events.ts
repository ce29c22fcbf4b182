import { types } from 'node:util'
import type { WorkerEvents } from '../../index'
import { warn } from '../client'
import { PawlError, toErrorCode } from '../errors'
import { shown, suggest } from '../options'

const NAMES = [
  'error',
  'storeRecovered',
  'claimsLost',
  'eventLoopBlocked',
  'eventLoopFree',
] as const satisfies readonly (keyof WorkerEvents)[]

const LISTENER_FAILED = 'a listener of a worker failed'

type Listener = (event: never) => unknown

/** Listeners by event. What a listener does, or throws, is kept away from the worker and from other listeners. */
export class Events {
  readonly #listeners = new Map<keyof WorkerEvents, Listener[]>()

  add(event: unknown, listener: unknown): void {
    const name = eventName(event, 'on()')
    if (typeof listener !== 'function') {
      throw new PawlError('PAWL_ARGUMENT', `on(${shown(name)}): the listener is ${shown(listener)}; give a function.`)
    }
    this.#listeners.set(name, [...this.#of(name), listener as Listener])
  }

  remove(event: unknown, listener: unknown): void {
    const name = eventName(event, 'off()')
    this.#listeners.set(
      name,
      this.#of(name).filter((other) => other !== listener),
    )
  }

  emit<Name extends keyof WorkerEvents>(name: Name, event: WorkerEvents[Name]): void {
    const listeners = this.#of(name)
    // An error that nobody listens to must not be lost, and must not end the process.
    if (name === 'error' && listeners.length === 0) process.emitWarning(event as PawlError)
    for (const listener of listeners) {
      try {
        const result = listener(event as never)
        if (types.isPromise(result)) result.catch((error) => warn(LISTENER_FAILED, error))
      } catch (error) {
        warn(LISTENER_FAILED, error)
      }
    }
  }

  #of(name: keyof WorkerEvents): Listener[] {
    return this.#listeners.get(name) ?? []
  }
}

/** Tells the listeners what the native side told, in the words of the public events. */
export function translate(name: string, data: unknown, events: Events): void {
  const told = data as Told
  const emit = EMITTERS[name]
  if (emit === undefined) warn('a worker told of an unknown event', name)
  else emit(events, told)
}

interface Told {
  readonly code: string
  readonly message: string
  readonly attemptCount: number
  readonly hash: string
  readonly blockedMs: number
}

/** By the names of the native side; see src/event.rs. */
const EMITTERS: Readonly<Record<string, (events: Events, told: Told) => void>> = {
  storeFailed: (events, { code, message }) => events.emit('error', new PawlError(toErrorCode(code), message)),
  storeRecovered: (events) => events.emit('storeRecovered', {}),
  claimsLost: (events, { attemptCount }) => events.emit('claimsLost', { attempts: attemptCount }),
  flowUnknown: (events, { hash }) => {
    const message = `Work of a flow with the hash ${hash} was handed back: this worker was not started with that flow.`
    events.emit('error', new PawlError('PAWL_FLOW_UNKNOWN', message))
  },
  eventLoopBlocked: (events, { blockedMs }) => events.emit('eventLoopBlocked', { forMs: blockedMs }),
  eventLoopFree: (events) => events.emit('eventLoopFree', {}),
  workerFailed: (events, { message }) => {
    events.emit('error', new PawlError('PAWL_INTERNAL', `The worker stopped: ${message}`))
  },
}

function eventName(event: unknown, where: string): keyof WorkerEvents {
  if ((NAMES as readonly unknown[]).includes(event)) return event as keyof WorkerEvents
  const meant = typeof event === 'string' ? suggest(event, NAMES) : undefined
  const help = meant === undefined ? `A worker has the events ${NAMES.join(', ')}.` : `Did you mean "${meant}"?`
  throw new PawlError('PAWL_ARGUMENT', `${where}: there is no event ${shown(event)}. ${help}`)
}
