import { encode, encodeThrown } from '../codec'
import { type ErrorCode, steeringOf } from '../errors'
import { type Extent, messageOf, shortened } from './describe'
import { fit } from './text'

/** What a function threw, as the native side takes it; `null` is "unset". */
export interface Thrown {
  code: ErrorCode | null
  message: string
  retryable: boolean
  retryAfterMs: number | null
  causeCodec: number | null
  cause: string | null
}

/** Bounds of what is recorded of a thrown value, in UTF-8 bytes: a history must not grow by what an error drags along. */
const MESSAGE_BYTES_MAX = 16 * 1024
const CAUSE_BYTES_MAX = 64 * 1024

/** Tried in this order. Even if each character of the last one needs six in JSON, it is within the bounds. */
const EXTENTS: readonly Extent[] = [
  { messageBytesMax: 4 * 1024, stackBytesMax: 4 * 1024, causes: 3 },
  { messageBytesMax: 4 * 1024, stackBytesMax: 1024, causes: 0 },
]

/** Describes whatever a user's function threw. Does not throw itself, whatever the value does when it is looked at. */
export function thrown(value: unknown): Thrown {
  const { retryable, retryAfterMs } = steeringOf(value)
  const cause = encodeCause(value)
  return {
    code: null,
    message: fit(messageOf(value), MESSAGE_BYTES_MAX),
    retryable,
    retryAfterMs: Number.isFinite(retryAfterMs) ? Math.ceil(retryAfterMs as number) : null,
    causeCodec: cause.codec,
    cause: cause.text,
  }
}

/** A refusal of pawl's own: it would be the same however often the attempt is repeated. */
export function refused(code: ErrorCode, message: string): Thrown {
  const text = fit(message, MESSAGE_BYTES_MAX)
  return { code, message: text, retryable: false, retryAfterMs: null, causeCodec: null, cause: null }
}

function encodeCause(value: unknown): { codec: number; text: string } {
  const whole = encodeThrown(value)
  if (whole !== undefined && isSmall(whole.text)) return whole
  for (const extent of EXTENTS) {
    const part = encodeThrown(shortened(value, extent))
    if (part !== undefined && isSmall(part.text)) return part
  }
  return encode('The thrown value cannot be recorded', 'error')
}

function isSmall(text: string): boolean {
  return text.length <= CAUSE_BYTES_MAX && Buffer.byteLength(text) <= CAUSE_BYTES_MAX
}
