/**
 * The workloads. Each checks every value it gets back; a wrong one ends the measurement with an error.
 *
 * @typedef {object} Workload
 * @property {string} title
 * @property {Record<string, number>} sizes How much is done in a full round.
 * @property {Record<string, number>} quick How much is done with --quick.
 * @property {{ key: string, title: string, digits: number }[]} columns The figures, in the order they are printed.
 * @property {string[]} [systems] Only these systems; all of them by default.
 * @property {(sizes: Record<string, number>) => import('../systems/index.mjs').Shape} shape
 * @property {(bench: Bench) => Promise<Record<string, number | null>>} measure
 *
 * @typedef {object} Bench
 * @property {import('../systems/index.mjs').System} system
 * @property {Record<string, number>} sizes
 * @property {() => () => import('../meter.mjs').Reading} meter Starts measuring; the answer stops and reads.
 */
import { w1 } from './w1.mjs'
import { w2 } from './w2.mjs'
import { w3 } from './w3.mjs'
import { w4 } from './w4.mjs'
import { w5 } from './w5.mjs'
import { idle } from './idle.mjs'

/** @type {Record<string, Workload>} */
export const workloads = { W1: w1, W2: w2, W3: w3, W4: w4, W5: w5, idle }
