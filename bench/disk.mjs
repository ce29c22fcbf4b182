/** How long the disk takes to make a page durable: measured before and after, because it is what everything else waits for. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { quantile } from './workloads/common.mjs'

const WRITES = 200
const PAGE = Buffer.alloc(4_096, 1)

/** @param {string} folder @returns {{ p50Ms: number, p95Ms: number }} */
export function probeDisk(folder) {
  const file = join(folder, 'fdatasync.probe')
  const handle = openSync(file, 'w')
  /** @type {number[]} */
  const took = []
  try {
    for (let n = 0; n < WRITES; n++) {
      const startedAt = process.hrtime.bigint()
      writeSync(handle, PAGE)
      fdatasyncSync(handle)
      took.push(Number(process.hrtime.bigint() - startedAt) / 1e6)
    }
  } finally {
    closeSync(handle)
    rmSync(file)
  }
  return { p50Ms: quantile(took, 0.5), p95Ms: quantile(took, 0.95) }
}
