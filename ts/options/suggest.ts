/** The known word that was probably meant, or `undefined`. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const plain = simplified(word)
  let best: { name: string; distance: number } | undefined
  for (const name of known) {
    const distance = simplified(name) === plain ? 0 : editDistance(plain, simplified(name))
    if (distance <= Math.max(2, name.length / 3) && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { name, distance }
    }
  }
  return best?.name
}

/** Case, separators and a unit at the end (`timeoutMs`, `timeout_ms`) are the usual slips. */
function simplified(word: string): string {
  return word
    .slice(0, 100)
    .replace(/(?:Ms|_ms|Seconds|Millis)$/, '')
    .replace(/[-_]/g, '')
    .toLowerCase()
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1)
    }
    row = next
  }
  return row[b.length] as number
}
