/**
 * What a measurement costs: time, CPU of the whole process (both languages), transactions, bytes written, memory.
 *
 * @typedef {object} Reading
 * @property {number} seconds
 * @property {number} cpuMicros User and system time of all threads.
 * @property {number | null} commits Transactions of the SQLite file; null in memory.
 * @property {number | null} bytesWritten Bytes given to write calls (WAL and checkpoints); null where the system does not tell.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** Where SQLite's shared WAL index counts transactions (`iChange` in the documented header). */
const TRANSACTION_COUNTER_AT = 8

/** @param {string | null} file The SQLite file, or null for memory. */
export function meterOf(file) {
  return () => {
    const commits = transactions(file)
    const written = bytesWritten(file)
    const cpu = process.cpuUsage()
    const startedAt = process.hrtime.bigint()
    return () => {
      const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9
      const used = process.cpuUsage(cpu)
      return {
        seconds,
        cpuMicros: used.user + used.system,
        commits: difference(transactions(file), commits),
        bytesWritten: difference(bytesWritten(file), written),
      }
    }
  }
}

/** Resident memory once garbage is gone (the measuring process runs with --expose-gc). */
export function residentBytes() {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

/** @param {string | null} file */
function transactions(file) {
  if (file === null) return null
  const header = Buffer.alloc(TRANSACTION_COUNTER_AT + 4)
  const index = openSync(`${file}-shm`, 'r')
  try {
    readSync(index, header, 0, header.length, 0)
  } finally {
    closeSync(index)
  }
  return header.readUInt32LE(TRANSACTION_COUNTER_AT)
}

/** @param {string | null} file */
function bytesWritten(file) {
  if (file === null || process.platform !== 'linux') return null
  const line = /^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))
  return line === null ? null : Number(line[1])
}

/** @param {number | null} after @param {number | null} before */
function difference(after, before) {
  return after === null || before === null ? null : after - before
}
