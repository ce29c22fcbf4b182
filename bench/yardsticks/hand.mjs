/**
 * The yardsticks: no engine, the least one could write by hand on the same store with the same durability.
 * `hand` commits each step on its own; `hand-batch` commits the steps of all runs in flight together.
 */
import Database from 'better-sqlite3'
import { addOne, HOUR_MS } from '../systems/step.mjs'

/** @param {import('../systems/index.mjs').Place} place */
export async function openHand({ file }) {
  const db = openDatabase(file)
  return system(db, async (/** @type {Row} */ row) => void db.insert(row))
}

/** @param {import('../systems/index.mjs').Place} place */
export async function openHandBatch({ file }) {
  const db = openDatabase(file)
  return system(db, batched(db.insertAll))
}

/** @typedef {[run: string, node: number, value: number]} Row */

/** @param {string | null} file */
function openDatabase(file) {
  const db = new Database(/** @type {string} */ (file))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE results (run TEXT, node INTEGER, value TEXT, PRIMARY KEY (run, node)) WITHOUT ROWID')
  const statement = db.prepare('INSERT INTO results (run, node, value) VALUES (?, ?, ?)')
  const insert = (/** @type {Row} */ [run, node, value]) => statement.run(run, node, JSON.stringify(value))
  return {
    insert,
    insertAll: db.transaction((/** @type {Row[]} */ rows) => rows.forEach(insert)),
    sleeping: () => db.prepare('SELECT count(*) FROM results WHERE node = -1').pluck().get(),
    close: () => void db.close(),
  }
}

/**
 * Everything saved in one turn of the event loop becomes one transaction, and nobody goes on before it is committed.
 * @param {(rows: Row[]) => void} insertAll
 */
function batched(insertAll) {
  /** @type {Row[]} */
  let rows = []
  /** @type {Promise<void> | null} */
  let flushed = null
  return (/** @type {Row} */ row) => {
    rows.push(row)
    flushed ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        const batch = rows
        rows = []
        flushed = null
        try {
          insertAll(batch)
          resolve()
        } catch (error) {
          reject(error)
        }
      })
    })
    return flushed
  }
}

/**
 * @param {ReturnType<typeof openDatabase>} db
 * @param {(row: Row) => Promise<void>} save
 * @returns {import('../systems/index.mjs').System}
 */
function system(db, save) {
  async function step(/** @type {string} */ run, /** @type {number} */ node, /** @type {number} */ input) {
    const value = await addOne(input)
    await save([run, node, value])
    return value
  }
  return {
    async chain(run, steps, input) {
      let value = input
      for (let node = 0; node < steps; node++) value = await step(run, node, value)
      return value
    },
    async fan(run, width, input) {
      const values = await Promise.all(Array.from({ length: width }, (_, node) => step(run, node, input)))
      const sum = values.reduce((a, b) => a + b, 0)
      await save([run, width, sum])
      return sum
    },
    sleep: (run) => save([run, -1, Date.now() + HOUR_MS]),
    sleeping: async () => db.sleeping(),
    close: async () => db.close(),
  }
}
