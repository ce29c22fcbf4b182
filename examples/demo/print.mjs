/** How the demo speaks: plain text, colour only where a terminal shows it. */
const coloured = process.stdout.isTTY && process.env.NO_COLOR === undefined
const paint = (/** @type {number} */ code, /** @type {string} */ text) =>
  coloured ? `\x1b[${code}m${text}\x1b[0m` : text

/** @param {string} text */
export const heading = (text) => console.log(`\n${paint(1, text)}\n`)

/** @param {string} text */
export const say = (text) => console.log(`  ${text}`)

/** A figure and what it counts. @param {number | string} value @param {string} what */
export const figure = (value, what) => console.log(`  ${paint(36, String(value).padStart(7))}  ${what}`)

/** Something that had to hold: printed with a mark, and thrown if it does not. @param {boolean} holds @param {string} what */
export function check(holds, what) {
  console.log(`  ${holds ? paint(32, '✓') : paint(31, '✗')} ${what}`)
  if (!holds) throw new Mismatch(what)
}

/** The demo saw something that must not be. */
export class Mismatch extends Error {}

/** @param {number} since a moment of performance.now() */
export const secondsSince = (since) => ((performance.now() - since) / 1_000).toFixed(1)
