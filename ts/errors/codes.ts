/** Every way in which pawl says no, in the order of docs/ERRORS.md. The native side has the same list; a test compares. */
export const ERROR_CODES = [
  'PAWL_ARGUMENT',
  'PAWL_OPTION',
  'PAWL_FLOW_INVALID',
  'PAWL_FLOW_UNKNOWN',
  'PAWL_FLOW_MISMATCH',
  'PAWL_TASK_NOT_FOUND',
  'PAWL_TASK_NOT_IMPLEMENTED',
  'PAWL_OUTPUT_UNKNOWN',
  'PAWL_RUN_NOT_FOUND',
  'PAWL_RUN_EXISTS',
  'PAWL_RUN_CONFLICT',
  'PAWL_RUN_ENDED',
  'PAWL_RUN_PAUSED',
  'PAWL_RUN_NOT_PAUSED',
  'PAWL_RUN_FAILED',
  'PAWL_RUN_CANCELLED',
  'PAWL_RUN_DEADLINE',
  'PAWL_RESULT_TIMEOUT',
  'PAWL_STEP_FAILED',
  'PAWL_STEP_TIMEOUT',
  'PAWL_STEP_CRASHED',
  'PAWL_SIGNAL_TIMEOUT',
  'PAWL_CLAIM_LOST',
  'PAWL_DRAINED',
  'PAWL_SERIALIZATION',
  'PAWL_VALUE_TOO_LARGE',
  'PAWL_SCHEMA',
  'PAWL_STORE_UNAVAILABLE',
  'PAWL_STORE_BUSY',
  'PAWL_STORE_READ_ONLY',
  'PAWL_STORE_FULL',
  'PAWL_STORE_CORRUPT',
  'PAWL_STORE_FOREIGN',
  'PAWL_STORE_NEWER',
  'PAWL_CLOSED',
  'PAWL_WORKER_STATE',
  'PAWL_NATIVE_MISSING',
  'PAWL_INTERNAL',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

const KNOWN: ReadonlySet<string> = new Set(ERROR_CODES)

/** Reads a code that came from outside. A code that nobody knows is a fault of pawl's own. */
export function toErrorCode(text: unknown): ErrorCode {
  return typeof text === 'string' && KNOWN.has(text) ? (text as ErrorCode) : 'PAWL_INTERNAL'
}
