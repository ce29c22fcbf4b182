/** The user's own database: one row per file. Writing a row again changes nothing, so a repeated step does no harm. */
import Database from 'libsql'

/** @typedef {{ path: string, bytes: number, format: string, sha256: string, records: number | null, fields: string }} Entry */

/** @param {string} file */
export function openCatalogue(file) {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.exec(`CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, format TEXT NOT NULL,
    sha256 TEXT NOT NULL, records INTEGER, fields TEXT NOT NULL)`)
  const insert = db.prepare('INSERT OR REPLACE INTO files VALUES (@path, @bytes, @format, @sha256, @records, @fields)')
  return {
    /** @param {Entry} entry */
    put: (entry) => void insert.run(entry),
    /** @returns {Entry[]} */
    all: () => db.prepare('SELECT * FROM files ORDER BY path').all(),
    close: () => void db.close(),
  }
}
