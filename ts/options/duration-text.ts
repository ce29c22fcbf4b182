const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const

/** Milliseconds as a person writes them, exactly: `1h 30m`. */
export function durationText(ms: number): string {
  const parts: string[] = []
  let rest = ms
  for (const [unit, length] of UNITS) {
    const count = Math.floor(rest / length)
    if (count > 0) parts.push(`${count}${unit}`)
    rest -= count * length
  }
  return parts.length === 0 ? '0s' : parts.join(' ')
}
