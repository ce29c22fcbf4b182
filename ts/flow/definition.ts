/** A flow as data, in the form the native side reads. A test holds it against the Rust definition. */
export interface Definition {
  readonly name: string
  readonly deadlineMs?: number
  readonly nodes: readonly NodeDefinition[]
}

export type NodeDefinition = { readonly scope: string; readonly name: string } & NodeShape

export type NodeShape =
  | ({ readonly kind: 'step' } & Policy)
  | { readonly kind: 'delay'; readonly forMs?: number; readonly until?: number }
  | {
      readonly kind: 'signal'
      readonly signal: string
      readonly timeoutMs?: number
      readonly continueOnTimeout: boolean
    }
  | ({ readonly kind: 'fork'; readonly branches: readonly string[]; readonly join: boolean } & Policy)

/** How a user's function is run. What is not set is left to the native side's defaults. */
export interface Policy {
  readonly retry?: RetryPolicy
  readonly timeoutMs?: number
}

export interface RetryPolicy {
  readonly maxAttempts?: number
  readonly backoffMs?: number
  readonly factor?: number
  readonly maxBackoffMs?: number
  readonly jitter?: boolean
}

/** Something wrong with a flow; an empty path means the flow itself. */
export interface Problem {
  readonly path: string
  readonly message: string
}
