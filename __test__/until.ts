/** Resolves once `probe` holds; the limit is only there so that a fault does not hang the suite. */
export async function until(what: string, probe: () => boolean | Promise<boolean>, limitMs = 15_000): Promise<void> {
  const giveUpAt = Date.now() + limitMs
  while (!(await probe())) {
    if (Date.now() > giveUpAt) throw new Error(`waited ${limitMs} ms in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
