/** A bar that redraws itself on a terminal, a line per tenth elsewhere. */
const BAR_WIDTH = 30
const REDRAW_MS = 50

/** @param {number} total @param {NodeJS.WriteStream} out */
export function progressOf(total, out = process.stdout) {
  const startedAt = performance.now()
  const show = out.isTTY ? bar(out) : lines(out)
  let done = 0
  let doneBefore = 0
  const seconds = () => Math.max(0.001, (performance.now() - startedAt) / 1_000)
  const state = () => ({ done, total, perSecond: (done - doneBefore) / seconds() })
  show(state(), '')
  return {
    /** @param {string} what the file that is done @param {boolean} before done by an earlier process: no part of the rate */
    tick(what, before) {
      done += 1
      if (before) doneBefore += 1
      show(state(), what)
    },
    doneBefore: () => doneBefore,
  }
}

/** @typedef {{ done: number, total: number, perSecond: number }} State */

/** @param {NodeJS.WriteStream} out */
function bar(out) {
  let drawnAt = -Infinity
  return (/** @type {State} */ { done, total, perSecond }, /** @type {string} */ what) => {
    const now = performance.now()
    if (now - drawnAt < REDRAW_MS && done < total) return
    drawnAt = now
    const full = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH)
    const drawn = '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full)
    const text = `  ${drawn} ${done}/${total}  ${perSecond.toFixed(0)} files/s  ${what}`
    out.write(`\r\x1b[K${text.slice(0, (out.columns || 80) - 1)}${done === total ? '\n' : ''}`)
  }
}

/** @param {NodeJS.WriteStream} out */
function lines(out) {
  let tenth = -1
  return (/** @type {State} */ { done, total, perSecond }) => {
    const now = total === 0 ? 10 : Math.floor((done / total) * 10)
    if (now === tenth) return
    tenth = now
    out.write(`  ${String(done).padStart(String(total).length)}/${total} files, ${perSecond.toFixed(0)} files/s\n`)
  }
}
