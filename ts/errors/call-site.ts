/**
 * Where the user called us. Answers come from another thread, so an error made when they arrive would show no line of
 * the user's. Capturing is cheap: V8 formats a stack only when it is read.
 */
export class CallSite {
  declare stack: string

  /** `entry` is the public function that was called; frames above it are left out. */
  constructor(entry: (...args: never[]) => unknown) {
    Error.captureStackTrace(this, entry)
  }

  /** The same error, with the frames of the caller in its stack. */
  mark<E extends Error>(error: E): E {
    const frames = this.stack.slice(this.stack.indexOf('\n'))
    Object.defineProperty(error, 'stack', {
      value: `${error.name}: ${error.message}${frames}`,
      configurable: true,
      writable: true,
    })
    return error
  }
}
