import type { ErrorCode } from './codes'

/** What a PawlError tells about the run it concerns. */
export interface RunOfError {
  readonly id: string
  readonly flow: string
  readonly node: string | null
  readonly attempt: number | null
  readonly code: ErrorCode
  readonly reason: string | null
  readonly by: string | null
}

export interface PawlErrorOptions {
  cause?: unknown
  run?: RunOfError
  problems?: readonly { readonly path: string; readonly message: string }[]
}

/** Registered, so that errors of another copy of pawl, or of another realm, are recognised too. */
const BRAND = Symbol.for('pawl.error')

export class PawlError extends Error {
  readonly code: ErrorCode
  /** Only there when the error is about a run. */
  declare readonly run?: RunOfError
  /** Only there when the error is about a flow that cannot be built. */
  declare readonly problems?: NonNullable<PawlErrorOptions['problems']>

  constructor(code: ErrorCode, message: string, options: PawlErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    if (options.run !== undefined) this.run = options.run
    if (options.problems !== undefined) this.problems = options.problems
  }

  static is(value: unknown): value is PawlError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
  }
}

brand(PawlError, 'PawlError', BRAND)

/** Name and brand lie on the prototype: own members would show up in every log line and in every stored error. */
export function brand(errorClass: { prototype: Error }, name: string, symbol: symbol): void {
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true })
  Object.defineProperty(errorClass.prototype, symbol, { value: true })
}
