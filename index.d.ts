/**
 * pawl: durable workflows for Node.js as a library.
 *
 * This file is the public contract. It is written by hand and reviewed; the implementation in `ts/` is checked against it.
 */

/// <reference lib="esnext.disposable" />

// ---------------------------------------------------------------------------------------------------------------------
// Time
// ---------------------------------------------------------------------------------------------------------------------

/**
 * A length of time: a number of milliseconds, or a text of a number and one unit.
 *
 * Units: `ms`, `s`, `m` (minutes), `h`, `d` (24 hours), `w`. Fractions are allowed (`'1.5h'`) and are rounded up to whole
 * milliseconds. The longest is 10,000 years. Negative, `NaN` and infinite numbers are refused with `PAWL_OPTION`.
 *
 * @example
 * task('charge', charge, { timeout: '30s' })   // the same as { timeout: 30_000 }
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd' | 'w'}`

/**
 * A moment: a `Date`, milliseconds since 1970, or an ISO 8601 text. A text with a time of day must name its zone
 * (`'2030-01-31T09:00:00Z'`), so that it means the same on every machine; a bare date is midnight UTC.
 */
export type Moment = Date | number | string

/** An object type without members: where there is nothing to tell, or nothing yet. */
export type None = Record<never, never>

// ---------------------------------------------------------------------------------------------------------------------
// Schemas
// ---------------------------------------------------------------------------------------------------------------------

/**
 * A [Standard Schema](https://standardschema.dev), as zod, valibot, arktype and others make them: says at run time whether a
 * value is what its type says, and may change it on the way. `docs/SCHEMAS.md` tells who checks what, and when.
 *
 * @typeParam Input what it takes
 * @typeParam Output what it gives back
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    /** Types only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** What a schema answers: a value, or what is wrong. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** Something wrong with a value, and where. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Any schema, whatever it takes and gives. */
export type AnySchema = Schema<unknown, unknown>

/** What a schema takes. */
export type SchemaInput<Of extends AnySchema> = NonNullable<Of['~standard']['types']>['input']

/** What a schema gives back. */
export type SchemaOutput<Of extends AnySchema> = NonNullable<Of['~standard']['types']>['output']

// ---------------------------------------------------------------------------------------------------------------------
// Tasks
// ---------------------------------------------------------------------------------------------------------------------

/**
 * How failed attempts of a step are repeated.
 *
 * @example
 * retry: { maxAttempts: 5, backoff: '1s', factor: 2, maxBackoff: '1m' }   // waits of about 1, 2, 4, 8 seconds
 */
export interface RetryOptions {
  /** Attempts in total, the first one included. Default 1: a failure is final. */
  readonly maxAttempts?: number
  /** The wait before the second attempt. Default `'1s'`; 0 tries again at once. */
  readonly backoff?: Duration
  /** By what the wait grows from one attempt to the next. At least 1, default 2. */
  readonly factor?: number
  /** The longest wait. Default `'5m'`, or `backoff` if that is longer. */
  readonly maxBackoff?: Duration
  /** Whether each wait is shortened at random by up to half, so that many failures do not come back at once. Default true. */
  readonly jitter?: boolean
}

/** How a step is run. Changing these never strands a run that is under way. */
export interface TaskOptions {
  /**
   * The longest that one attempt may take. Default: no limit. When it is over, `ctx.signal` aborts, the attempt counts as
   * failed with `PAWL_STEP_TIMEOUT`, and whatever the function still returns is dropped. A function that ignores the signal runs
   * on, beside the next attempt if there is one.
   */
  readonly timeout?: Duration
  /** How failed attempts are repeated. Default: not at all. */
  readonly retry?: RetryOptions
}

/** Options of a step whose output is checked. */
export interface CheckedTaskOptions<Of extends AnySchema> extends TaskOptions {
  /**
   * What the function returns must fit this schema, and what the schema gives back is the output. A refusal fails the step
   * with `PAWL_SCHEMA`, whatever attempts are left.
   */
  readonly output: Of
}

declare const TASK_TYPES: unique symbol

/**
 * A named function with options, made by {@link task}. It can be a step of any number of flows.
 *
 * @typeParam Name the task's name, as a literal type
 * @typeParam Input what the function takes
 * @typeParam Output what the step gives
 * @typeParam Returned what the function returns, if a schema makes the output of it
 */
export interface Task<Name extends string = string, Input = never, Output = unknown, Returned = Output> {
  /** The name that steps made from this task have, unless they are given another. */
  readonly name: Name
  /** The function itself, for tests that call it directly. */
  readonly fn: (input: Input, ctx: Context) => Returned | PromiseLike<Returned>
  /** The options it was made with. */
  readonly options: TaskOptions
  /** Types only: at run time there is no such member. */
  readonly [TASK_TYPES]: Output
}

/**
 * Makes a reusable task out of a function, which may be async or not.
 *
 * A function runs at least once for each step, and again after a crash: give `ctx.idempotencyKey` to whoever must not act
 * twice. Its result is stored once, before anything depends on it.
 *
 * @throws PawlError `PAWL_ARGUMENT` if name or function are not what they should be, `PAWL_OPTION` for wrong options
 * @example
 * const charge = task('charge', async (order: Order, ctx) => pay(order, { key: ctx.idempotencyKey, signal: ctx.signal }), {
 *   timeout: '30s', retry: { maxAttempts: 5, backoff: '1s' },
 * })
 */
export function task<Name extends string, Input, Of extends AnySchema>(
  name: Name,
  fn: (input: Input, ctx: Context) => SchemaInput<Of> | PromiseLike<SchemaInput<Of>>,
  options: CheckedTaskOptions<Of>,
): Task<Name, Input, SchemaOutput<Of>, SchemaInput<Of>>
export function task<Name extends string, Input, Result>(
  name: Name,
  fn: (input: Input, ctx: Context) => Result,
  options?: TaskOptions,
): Task<Name, Input, Awaited<Result>>

/**
 * What a function gets as its second argument, whatever flow it is a step of. Inside a flow it is a {@link StepContext},
 * which knows the types of that flow; a function written for `Context` can be a step of any.
 */
export interface Context {
  /** The id of the run. */
  readonly runId: string
  /** The path of the node, such as `ship/pack` for the step `pack` in the branch `ship`. */
  readonly path: string
  /** Which attempt at this node this is, from 1. Attempts that were lost with their process count too. */
  readonly attempt: number
  /**
   * The same text for every attempt of this step of this run, and for nothing else. Payment and mail services take such a
   * key to act only once.
   */
  readonly idempotencyKey: string
  /** When this attempt, or the whole run, will be too late. `null` if neither has a limit. */
  readonly deadline: Date | null
  /**
   * Aborts when the attempt should stop. Its `reason` is a {@link PawlError} whose code says why: `PAWL_STEP_TIMEOUT`,
   * `PAWL_RUN_CANCELLED`, `PAWL_RUN_PAUSED`, `PAWL_RUN_ENDED`, `PAWL_CLAIM_LOST` or `PAWL_DRAINED`.
   */
  readonly signal: AbortSignal
  /** Writes to the log of the worker or the connection, together with the run, the node and the attempt. */
  readonly log: StepLog
  /** The input that the run was started with, read from the store: a copy at each call. */
  input(): Promise<unknown>
  /**
   * The output of a node that always ends before this one, read from the store: a copy at each call.
   *
   * Inside a branch, a name is looked up in the branch first and then in the chains around it. The nodes of a fork's
   * branches are reached by path once the fork has joined.
   *
   * Rejects with `PAWL_OUTPUT_UNKNOWN` for any other name.
   *
   * @example
   * const receipt = await ctx.output('charge')
   * const parcel = await ctx.output('ship/pack')
   */
  output(name: string): Promise<unknown>
}

/**
 * The {@link Context} of a step of one flow: `input()` and `output(name)` are typed, and names that no node has are refused.
 *
 * @typeParam RunInput the input of the run
 * @typeParam Outputs the outputs of the nodes that ended before, by name
 * @typeParam Outer the same for the nodes around the branch that the step stands in
 */
export interface StepContext<RunInput, Outputs extends object, Outer extends object = None> extends Context {
  input(): Promise<RunInput>
  output<Name extends (keyof Outputs | keyof Outer) & string>(
    name: Name,
  ): Promise<Name extends keyof Outputs ? Outputs[Name] : Name extends keyof Outer ? Outer[Name] : never>
}

/** What `ctx.log` can write. `fields` are added to the entry as they are. */
export interface StepLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

// ---------------------------------------------------------------------------------------------------------------------
// Flows
// ---------------------------------------------------------------------------------------------------------------------

declare const FLOW_TYPES: unique symbol
declare const BRANCH_TYPES: unique symbol

/**
 * A checked flow: an immutable graph with a name, made by {@link flow}`(…).build()`.
 *
 * @typeParam Input what a run of it is started with
 * @typeParam Output what a run of it ends with
 * @typeParam Signals what the signals take that have a schema, by name
 */
export interface Flow<Input = unknown, Output = unknown, Signals extends object = None> {
  /** Its name. A store keeps its runs under it. */
  readonly name: string
  /** A hash over name and shape. Timeouts, retries and the length of delays may change without changing it. */
  readonly hash: string
  /**
   * The flow as data, for programs that draw or compare flows: the same text for the same flow, and a new copy at each call.
   *
   * @example
   * await writeFile('checkout.json', JSON.stringify(checkout.graph(), null, 2))
   */
  graph(): FlowGraph
  /**
   * The flow as the text of a [Mermaid](https://mermaid.js.org) flowchart, which GitHub and many editors show as a picture. The
   * same text for the same flow; whatever names contain is shown as it is.
   *
   * @throws PawlError `PAWL_OPTION` for wrong options
   * @example
   * console.log(checkout.toMermaid({ direction: 'LR' }))
   */
  toMermaid(options?: MermaidOptions): string
  /**
   * What is allowed but hardly meant, such as a delay that is longer than the flow's deadline. `build()` has refused
   * everything that cannot run; this is advice, empty if there is none.
   *
   * @example
   * test('checkout is sound', () => expect(checkout.check()).toEqual([]))
   */
  check(): FlowFinding[]
  /** Types only: at run time there is no such member. */
  readonly [FLOW_TYPES]: { input: (input: Input) => void; output: Output; signals: Signals }
}

/** What a run of this flow is started with: `InputOf<typeof checkout>`. */
export type InputOf<F> = F extends { readonly [FLOW_TYPES]: { input: (input: infer Input) => void } } ? Input : never

/** What a run of this flow ends with: `OutputOf<typeof checkout>`. */
export type OutputOf<F> = F extends { readonly [FLOW_TYPES]: { output: infer Output } } ? Output : never

/** Options of a flow. */
export interface FlowOptions {
  /** The longest that a run may take, from its start. Default: no limit. A run that is too late fails with `PAWL_RUN_DEADLINE`. */
  readonly deadline?: Duration
}

/** Options of a flow whose input is checked. */
export interface CheckedFlowOptions<Of extends AnySchema> extends FlowOptions {
  /** `start` and `run` refuse an input that does not fit. What the schema gives back is what the run gets. */
  readonly input: Of
}

/**
 * Begins a flow.
 *
 * Names of flows, nodes, branches and signals have 1 to 200 characters, none of them a control character or one of `/ [ ]`,
 * do not begin with `$`, and neither begin nor end with a space. A node's name is unique among its neighbours.
 *
 * @typeParam Input what a run is started with; the first node gets it
 * @throws PawlError `PAWL_ARGUMENT` if the name is not a text, `PAWL_OPTION` for wrong options
 * @example
 * const checkout = flow<Order>('checkout')
 *   .step(charge)
 *   .fork({ email: sendReceipt, ship: (b) => b.step(pick).delay('dock', '2h').step(pack) })
 *   .join('combine', ({ email, ship }) => ({ email, ship }))
 *   .build()
 */
export function flow<Of extends AnySchema>(
  name: string,
  options: CheckedFlowOptions<Of>,
): FlowBuilder<SchemaOutput<Of>, SchemaOutput<Of>, None, None, SchemaInput<Of>>
export function flow<Input = unknown>(name: string, options?: FlowOptions): FlowBuilder<Input, Input>

/** The output of a signal node that went on without a message. */
export interface TimedOut {
  readonly timedOut: true
}

/** Options of a signal node. */
export interface SignalOptions {
  /** The name that senders use. Default: the node's name. */
  readonly signal?: string
  /** How long to wait. Default: for ever. */
  readonly timeout?: Duration
  /** What happens when the time is over: `'fail'` (default) fails the run with `PAWL_SIGNAL_TIMEOUT`. */
  readonly onTimeout?: 'fail'
}

/** Options of a signal node that goes on without a message. */
export interface ContinuingSignalOptions extends Omit<SignalOptions, 'onTimeout'> {
  /** How long to wait. */
  readonly timeout: Duration
  /** When the time is over, the run goes on, with `{ timedOut: true }` as the node's output. */
  readonly onTimeout: 'continue'
}

/** A schema for the message that a signal node takes. */
export interface CheckedPayload<Of extends AnySchema, Signal extends string> {
  /** As in {@link SignalOptions}. */
  readonly signal?: Signal
  /**
   * `run.signal()` refuses a message that does not fit, where the sender's connection knows the flow. What the schema gives
   * back is the node's output. All nodes that wait for one signal have the same schema.
   */
  readonly payload: Of
}

/**
 * A flow under construction. It is immutable: every method answers a new builder, and the old one can be used again.
 *
 * @typeParam Input the input of a run
 * @typeParam Output what the last node gives, and the next one gets
 * @typeParam Outputs the outputs of all nodes of this chain, by name
 * @typeParam Outer inside a branch: the outputs of the nodes around it
 * @typeParam Start what a run is started with, if a schema makes the input of it
 * @typeParam Signals what the signals take that have a schema, by name
 */
export interface FlowBuilder<
  Input,
  Output,
  Outputs extends object = None,
  Outer extends object = None,
  Start = Input,
  Signals extends object = None,
> extends Branch<Output, Outputs, Signals> {
  /**
   * Adds a step that runs a task under the task's own name.
   *
   * @throws PawlError `PAWL_ARGUMENT` if it is no task
   */
  step<Name extends string, Next>(
    task: Task<Name, Output, Next, unknown>,
  ): FlowBuilder<Input, Next, Outputs & Named<Name, Next>, Outer, Start, Signals>
  /**
   * Adds a step that runs a function, or a task under another name. It gets the previous node's output (or the run's input
   * if it is the first), and what it returns is the next node's input.
   *
   * @param options timeout, retry and the schema of the output; beside a task, they take the place of the task's own
   * @throws PawlError `PAWL_ARGUMENT` or `PAWL_OPTION` for wrong arguments
   * @example
   * .step('finish', async (approval, ctx) => finish(await ctx.output('charge'), approval), { timeout: '1m' })
   */
  step<Name extends string, Of extends AnySchema>(
    name: Name,
    work:
      | ((input: Output, ctx: StepContext<Input, Outputs, Outer>) => SchemaInput<Of> | PromiseLike<SchemaInput<Of>>)
      | Task<string, Output, unknown, SchemaInput<Of>>,
    options: CheckedTaskOptions<Of>,
  ): FlowBuilder<Input, SchemaOutput<Of>, Outputs & Named<Name, SchemaOutput<Of>>, Outer, Start, Signals>
  step<Name extends string, Next>(
    name: Name,
    work: ((input: Output, ctx: StepContext<Input, Outputs, Outer>) => Next) | Task<string, Output, Next, unknown>,
    options?: TaskOptions,
  ): FlowBuilder<Input, Awaited<Next>, Outputs & Named<Name, Awaited<Next>>, Outer, Start, Signals>

  /**
   * Adds a delay: the run is parked, and goes on when the time is over. What comes in goes out unchanged.
   *
   * @param length how long from the moment the node is reached, or `{ until }` a moment; one in the past means at once
   * @throws PawlError `PAWL_OPTION` if the length is no duration or moment
   * @example
   * .delay('cool-off', '2h')
   * .delay('launch', { until: '2030-01-31T09:00:00Z' })
   */
  delay<Name extends string>(
    name: Name,
    length: Duration | { readonly until: Moment },
  ): FlowBuilder<Input, Output, Outputs & Named<Name, Output>, Outer, Start, Signals>

  /**
   * Adds a wait for a message to the run, sent by {@link RunHandle.signal}. The oldest message of that name that no node
   * has taken is taken, also one that came before the run got here. Its payload is the node's output.
   *
   * With one type argument, the payload's, the node cannot be named in `ctx.output`; give its name as the second one for that.
   *
   * With a schema for the payload there are no type arguments: both types are the schema's.
   *
   * @throws PawlError `PAWL_OPTION` for wrong options
   * @example
   * .signal('approval', { payload: z.object({ by: z.string() }) })
   * .signal<Approval>('approval', { timeout: '2d', onTimeout: 'continue' })   // Approval | { timedOut: true }
   * .signal<Approval, 'approval'>('approval')                                 // and ctx.output('approval') is typed
   */
  signal<Name extends string, Of extends AnySchema, Signal extends string = Name>(
    name: Name,
    options: Omit<ContinuingSignalOptions, 'signal'> & CheckedPayload<Of, Signal>,
  ): FlowBuilder<
    Input,
    SchemaOutput<Of> | TimedOut,
    Outputs & Named<Name, SchemaOutput<Of> | TimedOut>,
    Outer,
    Start,
    Signals & Sent<Signal, SchemaInput<Of>>
  >
  signal<Name extends string, Of extends AnySchema, Signal extends string = Name>(
    name: Name,
    options: Omit<SignalOptions, 'signal'> & CheckedPayload<Of, Signal>,
  ): FlowBuilder<
    Input,
    SchemaOutput<Of>,
    Outputs & Named<Name, SchemaOutput<Of>>,
    Outer,
    Start,
    Signals & Sent<Signal, SchemaInput<Of>>
  >
  signal<Payload, Name extends string>(
    name: Name,
    options: ContinuingSignalOptions,
  ): FlowBuilder<Input, Payload | TimedOut, Outputs & Named<Name, Payload | TimedOut>, Outer, Start, Signals>
  signal<Payload, Name extends string>(
    name: Name,
    options?: SignalOptions,
  ): FlowBuilder<Input, Payload, Outputs & Named<Name, Payload>, Outer, Start, Signals>
  signal<Payload>(
    name: string,
    options: ContinuingSignalOptions,
  ): FlowBuilder<Input, Payload | TimedOut, Outputs, Outer, Start, Signals>
  signal<Payload>(name: string, options?: SignalOptions): FlowBuilder<Input, Payload, Outputs, Outer, Start, Signals>

  /**
   * Walks several branches at once. Each gets what comes in; the object of their outputs, by name and in the order given,
   * goes on when the last one has ended. If one fails for good, the run fails at once and the others are aborted.
   *
   * A branch is a task; a callback that builds a chain, and returns it; or a function whose step gets the branch's name. A
   * function is taken for a step if it is async or declares two parameters, and for a callback otherwise: for a plain function of
   * one parameter, write `task('name', fn)`. (Code compiled to something older than ES2017 has no async functions.)
   *
   * TypeScript cannot tell a step of one parameter from a callback before it knows the parameter's type. So annotate it,
   * `async (order: Order) => …`, or declare both, `async (order, ctx) => …`, and both are typed.
   *
   * @throws PawlError `PAWL_FLOW_INVALID` if a branch is none of these, `PAWL_ARGUMENT` if `branches` is no object
   * @example
   * .fork({
   *   email: sendReceipt,
   *   audit: async (order, ctx) => audit(order, ctx.runId),
   *   ship: (b) => b.step(pick).delay('dock', '2h').step(pack),
   * })
   */
  fork<Branches extends BranchesOf<Input, Output, Outputs, Outer>>(
    this: TakesBranches<Branches, Output>,
    branches: Branches,
  ): ForkBuilder<
    Input,
    ForkOutput<Branches>,
    Outputs & ForkOutputs<Branches>,
    Outer,
    Start,
    Signals & ForkSignals<Branches>
  >

  /**
   * Checks everything and makes the flow.
   *
   * @throws PawlError `PAWL_FLOW_INVALID`, whose message and `problems` list all that is wrong with the paths where it is
   */
  build(): Flow<Start, Output, Signals>
}

/**
 * A fork that may get a name and a function that joins its branches. Going on without `join` is the same as joining without
 * a function, under a name made of the branches' names.
 */
export interface ForkBuilder<
  Input,
  Output,
  Outputs extends object,
  Outer extends object = None,
  Start = Input,
  Signals extends object = None,
> extends FlowBuilder<Input, Output, Outputs, Outer, Start, Signals> {
  /**
   * Names the fork. With a function, that is run as a step when all branches have ended: it gets the object of their
   * outputs, and what it returns goes on.
   *
   * @throws PawlError `PAWL_ARGUMENT` or `PAWL_OPTION` for wrong arguments
   * @example
   * .join('combine', ({ email, ship }) => ({ email, ship }))
   */
  join<Name extends string>(
    name: Name,
  ): FlowBuilder<Input, Output, Outputs & Named<Name, Output>, Outer, Start, Signals>
  join<Name extends string, Of extends AnySchema>(
    name: Name,
    work:
      | ((outputs: Output, ctx: StepContext<Input, Outputs, Outer>) => SchemaInput<Of> | PromiseLike<SchemaInput<Of>>)
      | Task<string, Output, unknown, SchemaInput<Of>>,
    options: CheckedTaskOptions<Of>,
  ): FlowBuilder<Input, SchemaOutput<Of>, Outputs & Named<Name, SchemaOutput<Of>>, Outer, Start, Signals>
  join<Name extends string, Next>(
    name: Name,
    work: ((outputs: Output, ctx: StepContext<Input, Outputs, Outer>) => Next) | Task<string, Output, Next, unknown>,
    options?: TaskOptions,
  ): FlowBuilder<Input, Awaited<Next>, Outputs & Named<Name, Awaited<Next>>, Outer, Start, Signals>
}

/** A chain that a branch callback returns. */
export interface Branch<Output, Outputs extends object, Signals extends object = None> {
  /** Types only: at run time there is no such member. */
  readonly [BRANCH_TYPES]: { output: Output; outputs: Outputs; signals: Signals }
}

/** What a fork takes: a task, a callback that builds a chain, or a function that is a step. */
export type BranchesOf<Input, Output, Outputs extends object, Outer extends object> = Readonly<
  Record<
    string,
    | Task<string, Output, unknown, unknown>
    | ((branch: FlowBuilder<Input, Output, None, Outer & Outputs>) => Branch<unknown, object>)
    | StepShape<Output, StepContext<Input, None, Outer & Outputs>>
    | CallableFunction
  >
>

/**
 * Gives types to the parameters of a function that declares two, and to no other: to one parameter both members would
 * apply, and as they differ in their type parameters, the compiler then leaves the whole type aside. Nothing has this type;
 * such a function is a `CallableFunction`.
 */
interface StepShape<Input, Ctx> {
  (input: Input, ctx: Ctx): unknown
  <Nothing>(input: Nothing): never
}

/** Anything, if all functions among the branches fit; else a text for the compiler to show, which nothing is assignable to. */
export type TakesBranches<Branches, Input> = [MisfitName<Branches, Input>] extends [never]
  ? unknown
  : `Branch "${MisfitName<Branches, Input> & string}" is neither a builder callback that returns its chain nor a function of what the fork gets. For a step, annotate its parameter or write async (input, ctx) => …`

type MisfitName<Branches, Input> = {
  [Name in keyof Branches]: Misfit<Branches[Name], Input> extends never ? never : Name
}[keyof Branches]

/** Of the given functions, those that are neither. As at run time, one parameter is a step's only if the function is async. */
type Misfit<Of, Input> = Of extends (input: infer Wanted, ...rest: never) => infer Result
  ? Result extends Branch<unknown, object>
    ? never
    : [Of, Input] extends [AsyncOrOfTwo<Of>, Wanted]
      ? never
      : Of
  : never

type AsyncOrOfTwo<Of> = Of extends (input: never) => infer Result
  ? Result extends PromiseLike<unknown>
    ? Of
    : never
  : Of

/** The outputs of a fork's branches by name. */
export type ForkOutput<Branches> = { [Name in keyof Branches]: BranchOutput<Branches[Name]> }

/** The outputs of all nodes in a fork's branches, by path from the fork: `ship/pack`. */
export type ForkOutputs<Branches> = {
  [Path in PathsOf<Branches>]: Path extends `${infer Name}/${infer Rest}`
    ? Name extends keyof Branches
      ? Rest extends keyof BranchOutputs<Branches[Name], Name>
        ? BranchOutputs<Branches[Name], Name>[Rest]
        : never
      : never
    : never
}

type PathsOf<Branches> = {
  [Name in keyof Branches & string]: `${Name}/${keyof BranchOutputs<Branches[Name], Name> & string}`
}[keyof Branches & string]

type BranchOutput<Of> =
  Of extends Task<string, never, infer Output, unknown>
    ? Output
    : Of extends (...args: never) => infer Result
      ? Result extends { readonly [BRANCH_TYPES]: { output: infer Output } }
        ? Output
        : Awaited<Result>
      : never

type BranchOutputs<Of, BranchName extends string> =
  Of extends Task<infer Name, never, infer Output, unknown>
    ? Named<Name, Output>
    : Of extends (...args: never) => infer Result
      ? Result extends { readonly [BRANCH_TYPES]: { outputs: infer Outputs } }
        ? Outputs
        : Named<BranchName, Awaited<Result>>
      : never

/** What the signals in a fork's branches take that have a schema, by name. Without such a signal it leaves no trace in the flow's type. */
export type ForkSignals<Branches> = [SignalsOf<Branches[keyof Branches]>] extends [never]
  ? None
  : {
      [Name in SignalsOf<Branches[keyof Branches]>[0]]: Extract<SignalsOf<Branches[keyof Branches]>, [Name, unknown]>[1]
    }

/** Pairs of name and type, for each signal of each branch. */
type SignalsOf<Of> = Of extends (...args: never) => { readonly [BRANCH_TYPES]: { signals: infer Signals } }
  ? { [Name in keyof Signals]: [Name, Signals[Name]] }[keyof Signals]
  : never

/** What a signal takes, under its name. A name that is only known at run time stands for nothing. */
export type Sent<Name extends string, Payload> = string extends Name ? None : { [Key in Name]: Payload }

/** An output under its name. A name that is only known at run time stands for any name, and its output for anything. */
export type Named<Name extends string, Output> = string extends Name
  ? Record<string, unknown>
  : { [Key in Name]: Output }

// ---------------------------------------------------------------------------------------------------------------------
// Flows as data
// ---------------------------------------------------------------------------------------------------------------------

/**
 * A flow as JSON, made by {@link Flow.graph}. Every default is filled in; `null` means that something is not set.
 *
 * `version` changes when the meaning of something changes. Kinds of nodes and edges, and fields, may be added without that: pass
 * over what you do not know.
 */
export interface FlowGraph {
  readonly version: 1
  /** The flow's name. */
  readonly flow: string
  /** As {@link Flow.hash}. */
  readonly hash: string
  /** The longest that a run may take. */
  readonly deadlineMs: number | null
  /** In the order in which they were declared; a fork comes before the nodes of its branches. Runs begin at the first. */
  readonly nodes: readonly GraphNode[]
  /** What follows what, in the order of the nodes that the edges leave. */
  readonly edges: readonly GraphEdge[]
}

/** A node of a {@link FlowGraph}: `kind` tells which. */
export type GraphNode = StepGraphNode | DelayGraphNode | SignalGraphNode | ForkGraphNode

/** Where a node stands. */
export interface GraphPlace {
  /** Unique in the flow: `ship/pack`. */
  readonly path: string
  /** The branch that the node stands in: `ship`, or `ship/eu` in a fork within. Empty outside of all branches. */
  readonly scope: string
  /** Unique among its neighbours: `pack`. */
  readonly name: string
}

/** How a function is run. */
export interface GraphPolicy {
  /** The longest that one attempt may take. */
  readonly timeoutMs: number | null
  readonly retry: {
    readonly maxAttempts: number
    readonly backoffMs: number
    readonly factor: number
    readonly maxBackoffMs: number
    readonly jitter: boolean
  }
}

export interface StepGraphNode extends GraphPlace, GraphPolicy {
  readonly kind: 'step'
}

/** One of `forMs` and `until` is set. */
export interface DelayGraphNode extends GraphPlace {
  readonly kind: 'delay'
  readonly forMs: number | null
  /** An ISO 8601 text in UTC. */
  readonly until: string | null
}

export interface SignalGraphNode extends GraphPlace {
  readonly kind: 'signal'
  /** The name that senders use. */
  readonly signal: string
  readonly timeoutMs: number | null
  readonly onTimeout: 'fail' | 'continue'
}

/** A fork with the join that ends it: one node, for they have one path. */
export interface ForkGraphNode extends GraphPlace {
  readonly kind: 'fork'
  /** The names of its branches. */
  readonly branches: readonly string[]
  /** How the join function is run. `null` if there is none. */
  readonly join: GraphPolicy | null
}

/**
 * An edge of a {@link FlowGraph}, between two paths. `next`: to the next node of the chain, from a fork once it has joined.
 * `branch`: from a fork to the first node of a branch. `join`: from the last node of a branch back to its fork; without these
 * edges the graph has no cycles.
 */
export type GraphEdge =
  | { readonly kind: 'next'; readonly from: string; readonly to: string }
  | { readonly kind: 'branch'; readonly from: string; readonly to: string; readonly branch: string }
  | { readonly kind: 'join'; readonly from: string; readonly to: string }

/** Options of {@link Flow.toMermaid}. */
export interface MermaidOptions {
  /** Where the picture goes: `'TB'` (default) from top to bottom, `'LR'` from left to right, or the other way round. */
  readonly direction?: 'TB' | 'BT' | 'LR' | 'RL'
}

/** One piece of advice from {@link Flow.check}. */
export interface FlowFinding {
  /**
   * - `attempts-beyond-deadline`: the timeouts of all attempts of a step, with the longest waits between them, take longer
   *   than the flow's deadline.
   * - `timeout-beyond-deadline`: the timeout of a signal, or of a step with one attempt, is longer than the flow's deadline.
   * - `delay-beyond-deadline`: a delay is longer than the flow's deadline, or several on one way are (then the path is empty).
   * - `signal-without-end`: a signal has no timeout, and the flow no deadline. Often meant so, hence `info`.
   *
   * More may be added.
   */
  readonly code: 'attempts-beyond-deadline' | 'timeout-beyond-deadline' | 'delay-beyond-deadline' | 'signal-without-end'
  /** `warning`: hardly meant. `info`: worth knowing. */
  readonly level: 'warning' | 'info'
  /** The path of the node; empty for the flow as a whole. */
  readonly path: string
  readonly message: string
}

// ---------------------------------------------------------------------------------------------------------------------
// Client
// ---------------------------------------------------------------------------------------------------------------------

/** Options of {@link Pawl.connect}. */
export interface ConnectOptions {
  /** A name for this client in messages about who did what. Default: made from host and process id. */
  readonly name?: string
  /** Where `ctx.log` of steps goes that run over this connection. Default: the `console`. */
  readonly log?: (entry: LogEntry) => void
}

/** What happens when a run with this id exists already. It is decided in one write: two starts never both win. */
export type OnConflict =
  /** Rejects with `PAWL_RUN_EXISTS`. */
  | 'fail'
  /** Answers the existing run, whatever state it is in; the input given now is checked, and dropped. */
  | 'useExisting'
  /** Cancels the existing run if it has not ended, and starts a new one under the id. */
  | 'terminateExisting'

/** Options of {@link Pawl.start}. */
export interface StartOptions {
  /**
   * The id of the run: 1 to 500 characters, no control characters, no space at either end. Default: a new unique id; ids
   * made later sort after ids made earlier. Give your own, such as an order number, to start at most once.
   */
  readonly id?: string
  /** What happens when the id is taken. Default `'fail'`. A run of another flow is always `PAWL_RUN_CONFLICT`. */
  readonly onConflict?: OnConflict
}

/** Options of {@link Pawl.run}. */
export interface RunOptions extends StartOptions {
  /** How long after this process has died others can go on with the run. Default `'20s'`, at least `'1s'`. */
  readonly claimTtl?: Duration
}

/** `[input, options]`, where the input may be left out if the flow takes none. */
export type StartArguments<Input, Options> = undefined extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options]

/**
 * A connection to a store: starts runs, finds them, and drives them without a worker. Make one for each process and store.
 *
 * All methods reject with a {@link PawlError}: `PAWL_CLOSED` after `close()`, one of the `PAWL_STORE_…` codes if the store
 * cannot do what was asked, and what each of them says. What was acknowledged is durable.
 *
 * @example
 * await using pawl = await Pawl.connect('sqlite:orders.db')
 */
export class Pawl {
  private constructor()

  /**
   * Opens a store.
   *
   * @param url `memory:` (gone with this connection), or `sqlite:FILE` (created if it is not there; several processes may
   * use it at once)
   *
   * Rejects with `PAWL_ARGUMENT` or `PAWL_OPTION` for a wrong url or option, `PAWL_NATIVE_MISSING` if the native addon
   * cannot be loaded, `PAWL_STORE_UNAVAILABLE`, `PAWL_STORE_FOREIGN`, `PAWL_STORE_NEWER` or `PAWL_STORE_CORRUPT` if the
   * file cannot be used.
   *
   * @example
   * const pawl = await Pawl.connect('sqlite:orders.db')
   */
  static connect(url: string, options?: ConnectOptions): Promise<Pawl>

  /**
   * Starts a run. When this resolves, the run is stored; a worker, in whatever process, brings it to its end.
   *
   * @param flow the flow, or the name of one that the store knows because it was started or worked on before
   *
   * Rejects with `PAWL_SCHEMA` if the input does not fit the flow's schema (a flow given by name is not checked),
   * `PAWL_SERIALIZATION` or `PAWL_VALUE_TOO_LARGE` if it cannot be stored, `PAWL_RUN_EXISTS` or `PAWL_RUN_CONFLICT` if the id is taken, `PAWL_FLOW_UNKNOWN` if no flow has this name, `PAWL_ARGUMENT` or `PAWL_OPTION`
   * for wrong arguments.
   *
   * @example
   * const run = await pawl.start(checkout, order, { id: `order-${order.id}` })
   */
  start<Input, Output, Signals extends object = None>(
    flow: Flow<Input, Output, Signals>,
    ...args: StartArguments<Input, StartOptions>
  ): Promise<RunHandle<Output, Signals>>
  start<Output = unknown>(flow: string, input?: unknown, options?: StartOptions): Promise<RunHandle<Output>>

  /**
   * Starts a run and drives it in this process, without a worker: to its end, or to where it parks (a delay, a signal, a
   * pause) with nothing else to do. The same engine and the same rules as in a worker. Resolves also when the run failed. The
   * wait before another attempt is no parking: this waits, too. A worker that has the flow may take parts of the run; then
   * this waits for it.
   *
   * Rejects as {@link start} does.
   *
   * @example
   * const status = await pawl.run(checkout, order, { id: 'order-42' })
   * if (status.status === 'completed') console.log(status.output)
   */
  run<Input, Output>(flow: Flow<Input, Output>, ...args: StartArguments<Input, RunOptions>): Promise<RunStatus<Output>>

  /**
   * Drives an existing run in this process as {@link run} does: after a crash, or when a delay is over or a signal has come.
   * A run that has ended or is paused is left alone, and its status is what this resolves with.
   *
   * Rejects with `PAWL_RUN_NOT_FOUND`, `PAWL_FLOW_UNKNOWN` if its flow is not among those given and was not used with this
   * connection before, `PAWL_FLOW_MISMATCH` if it was started from a definition of another shape.
   *
   * @example
   * const status = await pawl.resume('order-42', { flows: [checkout] })
   */
  resume<Output = unknown>(id: string, options?: ResumeOptions): Promise<RunStatus<Output>>

  /**
   * The handle of an existing run.
   *
   * @param options `flow`: the flow of the run, whose types the handle takes, and whose schemas then check what is sent to
   * the run over this connection. Without it, flows that were used with this connection do.
   *
   * Rejects with `PAWL_RUN_NOT_FOUND`.
   *
   * @example
   * const run = await pawl.get('order-42', { flow: checkout })
   */
  get<Input, Output, Signals extends object>(
    id: string,
    options: { readonly flow: Flow<Input, Output, Signals> },
  ): Promise<RunHandle<Output, Signals>>
  get<Output = unknown>(id: string): Promise<RunHandle<Output>>

  /**
   * A handle without asking the store; its methods reject with `PAWL_RUN_NOT_FOUND` if there is no such run.
   *
   * @param options as of {@link get}
   * @throws PawlError `PAWL_ARGUMENT` if this cannot be the id of a run
   * @example
   * await pawl.handle('order-42').signal('approval', { by: 'ops' })
   */
  handle<Input, Output, Signals extends object>(
    id: string,
    options: { readonly flow: Flow<Input, Output, Signals> },
  ): RunHandle<Output, Signals>
  handle<Output = unknown>(id: string): RunHandle<Output>

  /**
   * Lists runs, newest first, a page at a time.
   *
   * Rejects with `PAWL_OPTION` for wrong options, and `PAWL_ARGUMENT` for a cursor that did not come from here.
   *
   * @example
   * for await (const run of await pawl.list({ flow: 'checkout', status: 'failed' })) console.log(run.id, run.status)
   */
  list(options?: ListOptions): Promise<RunPage>

  /**
   * Says in words what will move a run next, or why nothing will, and lists what it has open.
   *
   * Rejects with `PAWL_RUN_NOT_FOUND`.
   *
   * @example
   * console.log((await pawl.explain('order-42')).summary)
   */
  explain(id: string): Promise<Explanation>

  /**
   * Ends what runs over this connection (workers are stopped without waiting for their steps, which other workers take
   * over) and lets go of the store. Closing twice is closing once.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of {@link Pawl.resume}. */
export interface ResumeOptions {
  /** Flows that the run may belong to. Default: those used with this connection before. */
  readonly flows?: readonly AnyFlow[]
  /** As in {@link RunOptions}. */
  readonly claimTtl?: Duration
}

/** Any flow, whatever it takes and gives. */
export type AnyFlow = Flow<never, unknown>

/**
 * One run. All methods reject with `PAWL_RUN_NOT_FOUND` if there is none with this id.
 *
 * @typeParam Output what the run ends with
 * @typeParam Signals what the signals take that have a schema, by name
 */
export interface RunHandle<Output = unknown, Signals extends object = None> {
  /** The run's id. */
  readonly id: string
  /** Whether `start` found the run instead of starting it (`onConflict: 'useExisting'`). */
  readonly existing: boolean

  /**
   * Waits for the end and gives the run's output. Nothing is polled; the process stays alive while it waits.
   *
   * @param options `timeout`: how long to wait. Default: for ever. 0 asks once.
   *
   * Rejects with `PAWL_RUN_FAILED`, whose `cause` is what the failing step threw and whose `run` says which it was;
   * `PAWL_RUN_CANCELLED`; or `PAWL_RESULT_TIMEOUT`, after which the run goes on as before.
   *
   * @example
   * const shipment = await run.result({ timeout: '30s' })
   */
  result(options?: { readonly timeout?: Duration }): Promise<Output>

  /**
   * Where the run is now.
   *
   * @example
   * const status = await run.status()
   * if (status.status === 'waiting') console.log(`${status.node} until ${status.wakeAt.toISOString()}`)
   */
  status(): Promise<RunStatus<Output>>

  /**
   * Sends a message to the run. It is kept until a signal node of that name takes it.
   *
   * @param payload any value that can be stored; default `undefined`
   * @param options `key`: a second message of the same name and key is dropped, and `duplicate` is true
   *
   * Rejects with `PAWL_ARGUMENT` if the run's flow waits for no such signal, `PAWL_RUN_ENDED` if the run is over,
   * `PAWL_SCHEMA` if the payload does not fit the schema that a flow used with this connection has for it, `PAWL_SERIALIZATION` or `PAWL_VALUE_TOO_LARGE` if the payload cannot be stored.
   *
   * @example
   * await run.signal('approval', { by: 'ops' }, { key: request.id })
   */
  signal<Name extends string>(name: Name, ...args: SignalArguments<Signals, Name>): Promise<SignalReceipt>

  /**
   * Ends the run at once, wherever it is; attempts under way are aborted, and what they return is dropped.
   *
   * Rejects with `PAWL_RUN_ENDED` if it is over.
   *
   * @example
   * await run.cancel({ reason: 'the customer called', by: 'ops' })
   */
  cancel(options?: ReasonOptions): Promise<void>

  /**
   * Holds the run: nothing new starts. Attempts under way are told through `ctx.signal`; if they succeed all the same, their
   * results are kept.
   *
   * Rejects with `PAWL_RUN_ENDED` if it is over, `PAWL_RUN_PAUSED` if it is paused.
   */
  pause(options?: ReasonOptions): Promise<void>

  /**
   * Lets a paused run go on. Delays and timeouts that passed meanwhile are due at once; a run whose deadline passed fails
   * with `PAWL_RUN_DEADLINE`.
   *
   * Rejects with `PAWL_RUN_ENDED` if it is over, `PAWL_RUN_NOT_PAUSED` if it is not paused.
   */
  resume(options?: { readonly by?: string }): Promise<void>

  /** What has happened to the run so far, oldest first. */
  history(): Promise<HistoryEntry[]>
}

/** `[payload, options]`, where the payload is typed if the signal has a schema. */
export type SignalArguments<Signals extends object, Name extends string> = [Name & keyof Signals] extends [never]
  ? [payload?: unknown, options?: SendOptions]
  : StartArguments<Signals[Name & keyof Signals], SendOptions>

/** Options of {@link RunHandle.signal}. */
export interface SendOptions {
  /** Names this message: sending it again, after an error or by accident, changes nothing. 1 to 200 characters. */
  readonly key?: string
}

/** What {@link RunHandle.signal} resolves with. */
export interface SignalReceipt {
  /** Whether a message of this name and key was there already, and this one was dropped. */
  readonly duplicate: boolean
}

/** Why a run is cancelled or paused, and by whom: texts for people, kept with the run. */
export interface ReasonOptions {
  readonly reason?: string
  readonly by?: string
}

// ---------------------------------------------------------------------------------------------------------------------
// What is told about runs
// ---------------------------------------------------------------------------------------------------------------------

/** What every status has. */
export interface RunFacts {
  /** The run's id. */
  readonly id: string
  /** The name of its flow. */
  readonly flow: string
  /** The hash of the definition it was started from. */
  readonly hash: string
  readonly createdAt: Date
  /** When the run will be too late. A pause does not move it. `null`: no limit. */
  readonly deadlineAt: Date | null
}

/** A step is being worked on, is due, or waits for its next attempt. */
export interface RunningStatus extends RunFacts {
  readonly status: 'running'
  /** The step that is under way, or else the one that is due first. `null`: none, the run is between two nodes. */
  readonly attempt: AttemptInfo | null
}

/** Nothing to do before a delay is over. */
export interface WaitingStatus extends RunFacts {
  readonly status: 'waiting'
  /** The path of the delay. */
  readonly node: string
  readonly wakeAt: Date
}

/** Nothing to do before a message comes. */
export interface AwaitingSignalStatus extends RunFacts {
  readonly status: 'awaitingSignal'
  /** The path of the signal node. */
  readonly node: string
  /** The name of the message. */
  readonly signal: string
  /** When it stops waiting. `null`: never. */
  readonly timeoutAt: Date | null
}

/** Held until somebody lets it go on. */
export interface PausedStatus extends RunFacts {
  readonly status: 'paused'
  readonly reason: string | null
  readonly by: string | null
}

/** Over, with an output. */
export interface CompletedStatus<Output = unknown> extends RunFacts {
  readonly status: 'completed'
  readonly output: Output
  readonly endedAt: Date
}

/** Over, with an error. */
export interface FailedStatus extends RunFacts {
  readonly status: 'failed'
  readonly error: RunFailure
  readonly endedAt: Date
}

/** Over, because somebody said so. */
export interface CancelledStatus extends RunFacts {
  readonly status: 'cancelled'
  readonly reason: string | null
  readonly by: string | null
  readonly endedAt: Date
}

/** Where a run is: look at `status` first, and the rest is typed. */
export type RunStatus<Output = unknown> =
  | RunningStatus
  | WaitingStatus
  | AwaitingSignalStatus
  | PausedStatus
  | CompletedStatus<Output>
  | FailedStatus
  | CancelledStatus

/** A run in a list: its status without the values, which may be large. */
export type RunSummary =
  | RunningStatus
  | WaitingStatus
  | AwaitingSignalStatus
  | PausedStatus
  | Omit<CompletedStatus, 'output'>
  | (Omit<FailedStatus, 'error'> & { readonly error: Omit<RunFailure, 'cause'> })
  | CancelledStatus

/** A step that is under way, due, or waits for its next attempt. */
export interface AttemptInfo {
  /** The path of the step. */
  readonly node: string
  /** The attempt that is next or under way, from 1. */
  readonly number: number
  /** How many attempts have failed. */
  readonly failures: number
  /** When the attempt is due, or has been due since. `null`: it is under way. */
  readonly nextAt: Date | null
}

/** Why a run failed. */
export interface RunFailure {
  /** `PAWL_STEP_FAILED` if a step threw, or another code that says what ended the run. */
  readonly code: PawlErrorCode
  readonly message: string
  /** The path of the node. `null` if it was the run as a whole. */
  readonly node: string | null
  /** Which attempt it was. `null` if there was none. */
  readonly attempt: number | null
  /** What the step threw: a real `Error` with name, message, stack, cause, code and own fields, or whatever else it was. */
  readonly cause?: unknown
}

/** Options of {@link Pawl.list}. */
export interface ListOptions {
  /** Only runs of this flow (or of the flow with this name). */
  readonly flow?: string | AnyFlow
  /** Only runs with this status. */
  readonly status?: RunStatus['status']
  /** The `cursor` of the page before. */
  readonly cursor?: string
  /** The most runs on one page: 1 to 1,000, default 100. */
  readonly limit?: number
}

/** A page of a list. Iterating over it goes on over all pages that follow. */
export interface RunPage extends AsyncIterable<RunSummary> {
  readonly runs: readonly RunSummary[]
  /** Give it to `list` to get the next page. `null`: there is none. */
  readonly cursor: string | null
}

/** One thing that happened to a run. */
export interface HistoryEntry {
  readonly at: Date
  /**
   * What happened. `nodeCompleted` is told of every kind of node: a step or a join has returned, a delay is over, a message
   * was taken, a fork without a join function has all its parts.
   */
  readonly kind:
    | 'started'
    | 'nodeCompleted'
    | 'attemptFailed'
    | 'attemptTimedOut'
    | 'attemptLost'
    | 'signalTimedOut'
    | 'paused'
    | 'resumed'
    | 'cancelled'
    | 'failed'
    | 'completed'
  /** At which node, by its path. `null`: the run as a whole. */
  readonly node: string | null
  readonly attempt: number | null
  /** What went wrong, if something did. */
  readonly code: PawlErrorCode | null
  readonly message: string | null
  /**
   * Anything else worth telling. `attemptFailed`, `attemptTimedOut`: `{ worker, retryAt }`, a moment in milliseconds since 1970;
   * `failed`: `{ worker }`, if it was a step; `paused`, `resumed`, `cancelled`: `{ reason, by }`, and `interrupted`, the steps
   * that a cancel met under way.
   */
  readonly detail: unknown
}

/** What {@link Pawl.explain} tells. */
export interface Explanation {
  readonly id: string
  readonly status: RunStatus['status']
  /** One sentence: what will move the run next, or why nothing will. */
  readonly summary: string
  /** What the run has open. */
  readonly open: readonly OpenBranch[]
}

/** One chain of a run that has not ended. */
export interface OpenBranch {
  /** The path of the node it stands on. Empty: this is the run's deadline. */
  readonly node: string
  /** What it is doing there. */
  readonly phase: string
  /** The attempt that is next or under way, from 1. */
  readonly attempt: number
  readonly failures: number
  /** When it becomes due by itself. `null`: it does not. */
  readonly dueAt: Date | null
  /** The worker that holds it. */
  readonly worker: string | null
  /** What it waits for, in words. */
  readonly waitsFor: string | null
}

// ---------------------------------------------------------------------------------------------------------------------
// Worker
// ---------------------------------------------------------------------------------------------------------------------

/** Options of a {@link Worker}. */
export interface WorkerOptions {
  /** The flows whose runs it works on. Two flows of one name are refused. */
  readonly flows: readonly AnyFlow[]
  /** How many steps run at once: 1 to 100,000, default 64. */
  readonly concurrency?: number
  /** A name for logs and for `explain()`. Default: made from host and process id. */
  readonly name?: string
  /**
   * How long after this process has died others take over its work. Default `'20s'`, at least `'1s'`. Live workers renew
   * their claims from a native thread, also while the event loop is blocked.
   */
  readonly claimTtl?: Duration
  /**
   * For how long the event loop may be blocked before the worker's claims are no longer renewed; they run out within
   * `claimTtl`, and others take over. Default `'60s'`.
   */
  readonly eventLoopBudget?: Duration
  /** Whether the worker keeps the process alive until it is stopped. Default true. */
  readonly keepAlive?: boolean
  /** Where `ctx.log` of this worker's steps goes. Default: where its connection's goes. */
  readonly log?: (entry: LogEntry) => void
}

/** What a step wrote with `ctx.log`. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly runId: string
  /** The path of the node. */
  readonly node: string
  readonly attempt: number
}

/**
 * Runs the steps of flows in this process, for any number of runs at once. It is never ended by a step, a timeout or a
 * store that is away: it waits, tries again, and `health()` tells.
 *
 * @example
 * const worker = new Worker(pawl, { flows: [checkout], concurrency: 64 })
 * await worker.start()
 * process.once('SIGTERM', () => worker.stop({ drain: '30s' }).then(() => pawl.close()))
 */
export class Worker {
  /**
   * @throws PawlError `PAWL_ARGUMENT` or `PAWL_OPTION` for wrong arguments, `PAWL_FLOW_INVALID` if two flows have one name
   */
  constructor(pawl: Pawl, options: WorkerOptions)

  /** The worker's name. */
  readonly name: string

  /**
   * Begins to work. Starting a worker that has been started changes nothing; one that has been stopped starts anew.
   *
   * Rejects with `PAWL_CLOSED` if the connection is closed, `PAWL_FLOW_MISMATCH` or a store's error if it cannot start.
   */
  start(): Promise<void>

  /**
   * Takes no new work, and waits for the steps under way.
   *
   * @param options `drain`: how long to wait for them. Default `'10s'`; 0 does not wait. What has not ended by then is
   * aborted through `ctx.signal` with `PAWL_DRAINED`, handed back to the other workers at once, and listed in `abandoned`.
   *
   * Stopping a worker that is not running changes nothing; while it stops, all calls resolve together.
   *
   * @example
   * await worker.stop({ drain: '30s' })
   */
  stop(options?: { readonly drain?: Duration }): Promise<StopReport>

  /** How the worker is doing. It answers also while the store does not. */
  health(): Promise<WorkerHealth>

  /**
   * Listens to what happens to the worker. A listener that throws harms nobody.
   *
   * @example
   * worker.on('error', (error) => console.error(error.code, error.message))
   */
  on<Name extends keyof WorkerEvents>(event: Name, listener: (event: WorkerEvents[Name]) => void): this
  /** Stops listening. */
  off<Name extends keyof WorkerEvents>(event: Name, listener: (event: WorkerEvents[Name]) => void): this
  [Symbol.asyncDispose](): Promise<void>
}

/** What a worker tells, by event. */
export interface WorkerEvents {
  /** Something went wrong that the worker deals with by itself, such as a store that is away. */
  readonly error: PawlError
  /** The store works again. */
  readonly storeRecovered: None
  /** This many attempts were taken from this worker, because it could not renew its claims in time: they are aborted here, and run elsewhere. */
  readonly claimsLost: { readonly attempts: number }
  /** The event loop has not answered for this long: the worker takes no new work and, until it answers, its claims run out. */
  readonly eventLoopBlocked: { readonly forMs: number }
  /** The event loop answers again. */
  readonly eventLoopFree: None
}

/** Which attempt is meant. */
export interface AttemptRef {
  readonly runId: string
  /** The path of the node. */
  readonly node: string
  readonly attempt: number
}

/** What {@link Worker.stop} resolves with. */
export interface StopReport {
  /** The attempts that had not ended when the drain was over. Other workers run them again. */
  readonly abandoned: readonly AttemptRef[]
}

/** How a worker is doing. */
export interface WorkerHealth {
  /**
   * `ok`; `degraded`: the store does not answer, and the worker tries again; `blocked`: the event loop does not answer;
   * `stopping`; `stopped`.
   */
  readonly state: 'ok' | 'degraded' | 'blocked' | 'stopping' | 'stopped'
  readonly lastClaimAt: Date | null
  readonly lastHeartbeatAt: Date | null
  readonly lastCommitAt: Date | null
  /** The last error of the store. */
  readonly lastError: { readonly code: PawlErrorCode; readonly message: string } | null
  /** The attempts under way. */
  readonly running: readonly (AttemptRef & { readonly sinceMs: number })[]
  /** How many may be under way at once. */
  readonly slots: number
}

// ---------------------------------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------------------------------

/** Every way in which pawl says no. `docs/ERRORS.md` has a section for each: what happened, and what to do. */
export type PawlErrorCode =
  | 'PAWL_ARGUMENT'
  | 'PAWL_OPTION'
  | 'PAWL_FLOW_INVALID'
  | 'PAWL_FLOW_UNKNOWN'
  | 'PAWL_FLOW_MISMATCH'
  | 'PAWL_TASK_NOT_FOUND'
  | 'PAWL_TASK_NOT_IMPLEMENTED'
  | 'PAWL_OUTPUT_UNKNOWN'
  | 'PAWL_RUN_NOT_FOUND'
  | 'PAWL_RUN_EXISTS'
  | 'PAWL_RUN_CONFLICT'
  | 'PAWL_RUN_ENDED'
  | 'PAWL_RUN_PAUSED'
  | 'PAWL_RUN_NOT_PAUSED'
  | 'PAWL_RUN_FAILED'
  | 'PAWL_RUN_CANCELLED'
  | 'PAWL_RUN_DEADLINE'
  | 'PAWL_RESULT_TIMEOUT'
  | 'PAWL_STEP_FAILED'
  | 'PAWL_STEP_TIMEOUT'
  | 'PAWL_STEP_CRASHED'
  | 'PAWL_SIGNAL_TIMEOUT'
  | 'PAWL_CLAIM_LOST'
  | 'PAWL_DRAINED'
  | 'PAWL_SERIALIZATION'
  | 'PAWL_VALUE_TOO_LARGE'
  | 'PAWL_SCHEMA'
  | 'PAWL_STORE_UNAVAILABLE'
  | 'PAWL_STORE_BUSY'
  | 'PAWL_STORE_READ_ONLY'
  | 'PAWL_STORE_FULL'
  | 'PAWL_STORE_CORRUPT'
  | 'PAWL_STORE_FOREIGN'
  | 'PAWL_STORE_NEWER'
  | 'PAWL_CLOSED'
  | 'PAWL_WORKER_STATE'
  | 'PAWL_NATIVE_MISSING'
  | 'PAWL_INTERNAL'

/**
 * Every error that pawl makes.
 *
 * @example
 * try {
 *   await run.result()
 * } catch (error) {
 *   if (PawlError.is(error) && error.code === 'PAWL_RUN_FAILED') console.error(error.run?.node, error.cause)
 *   else throw error
 * }
 */
export class PawlError extends Error {
  private constructor()
  /** Stable: branch on it, and not on the message. */
  readonly code: PawlErrorCode
  /** What was underneath: of `PAWL_RUN_FAILED`, what the step threw. */
  readonly cause?: unknown
  /** Which run the error is about. Only there for `PAWL_RUN_FAILED` and `PAWL_RUN_CANCELLED`. */
  readonly run?: RunOfError
  /** All that is wrong with a flow or a value. Only there for `PAWL_FLOW_INVALID` of `build()`, and for `PAWL_SCHEMA`. */
  readonly problems?: readonly FlowProblem[]
  /** Whether this is an error of pawl's. Unlike `instanceof`, it also works across jest's realms and across two copies of pawl. */
  static is(value: unknown): value is PawlError
}

/** What a {@link PawlError} tells about its run. */
export interface RunOfError {
  readonly id: string
  readonly flow: string
  /** The path of the node that failed. `null` if it was the run as a whole. */
  readonly node: string | null
  /** Which attempt it was. */
  readonly attempt: number | null
  /** What ended the run: `PAWL_STEP_FAILED`, `PAWL_STEP_TIMEOUT`, `PAWL_SIGNAL_TIMEOUT`, … */
  readonly code: PawlErrorCode
  /** Why it was cancelled, and by whom. */
  readonly reason: string | null
  readonly by: string | null
}

/** Something wrong with a flow or a value. */
export interface FlowProblem {
  /** The path of the node; empty for the flow itself. Of a value: the path in it, such as `input.items[0].price`. */
  readonly path: string
  readonly message: string
}

/**
 * Thrown by a step that knows that another attempt would not help: the run fails at once.
 *
 * @example
 * if (card.expired) throw new NonRetryableError('the card has expired')
 */
export class NonRetryableError extends Error {
  constructor(message?: string, options?: { cause?: unknown })
}

/**
 * Thrown by a step that knows when to come back. The wait takes the place of the policy's; the attempt counts as failed all
 * the same, so without attempts left the run fails.
 *
 * @throws PawlError `PAWL_OPTION` if `after` is no duration
 * @example
 * if (response.status === 429) throw new RetryAfterError('rate limited', '30s')
 */
export class RetryAfterError extends Error {
  constructor(message: string, after: Duration, options?: { cause?: unknown })
  /** The wait in milliseconds. */
  readonly afterMs: number
}

// biome-ignore lint/complexity/noUselessEmptyExport: without it a declaration file exports all that it declares
export {}
