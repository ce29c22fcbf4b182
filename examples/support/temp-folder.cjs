/** A folder that is gone when the test file is through. Jest only. */
const { mkdtempSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')

/** @param {string} name */
function tempFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `pawl-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

module.exports = { tempFolder }
