import { PawlError } from '../errors/pawl-error'

/** Where in a value the walk is: `input`, `items`, `3`. */
export class Place {
  private readonly segments: (string | number)[] = []

  constructor(private readonly root: string) {}

  enter(segment: string | number): void {
    this.segments.push(segment)
  }

  leave(): void {
    this.segments.pop()
  }

  get depth(): number {
    return this.segments.length
  }

  toString(): string {
    return describePath(this.root, this.segments)
  }
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
const SHOWN_SEGMENTS_MAX = 20

/** A path as it is shown: `input.items[3]`. */
export function describePath(root: string, segments: readonly (string | number)[]): string {
  let path = root
  for (const segment of segments.slice(0, SHOWN_SEGMENTS_MAX)) {
    if (typeof segment === 'number') path += `[${segment}]`
    else path += IDENTIFIER.test(segment) ? `.${segment}` : `[${JSON.stringify(segment.slice(0, 100))}]`
  }
  return segments.length > SHOWN_SEGMENTS_MAX ? `${path}… (${segments.length} levels deep)` : path
}

/** A value that cannot be stored. */
export function refusal(place: Place, why: string, cause?: unknown): PawlError {
  const options = cause === undefined ? {} : { cause }
  return new PawlError('PAWL_SERIALIZATION', `${place} cannot be stored: ${why}`, options)
}
