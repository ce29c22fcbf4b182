/** Whether two types are the same one; `any`, `never` and `readonly` make a difference. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** `type<Same<A, B>>()` compiles if, and only if, A and B are the same. */
export function type<Holds extends true>(): void
export function type(): void {}
