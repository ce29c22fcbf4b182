// Holds a lock on a database, as an open transaction in a database browser does, until it is told to let go.
// node holder.cjs FILE STATEMENTS. In a process of its own: two SQLite libraries in one do not see each other's locks.
'use strict'
const Database = require('libsql')

const [file, statements] = process.argv.slice(2)
const database = new Database(file)
database.exec(statements)
console.log('"locked"')
process.stdin.once('data', () => {
  database.exec('COMMIT')
  database.close()
  console.log('"free"')
})
