'use strict'
// Strips the types off a test file. Types are checked by tsc; here only speed counts.
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const esbuild = require('esbuild')

const self = readFileSync(__filename)

module.exports = {
  process(source, filename) {
    const { code, map } = esbuild.transformSync(source, {
      loader: 'ts',
      format: 'cjs',
      target: 'node20',
      sourcefile: filename,
      sourcemap: 'both',
    })
    return { code, map }
  },
  getCacheKey(source, filename) {
    return createHash('sha256').update(self).update(esbuild.version).update(filename).update(source).digest('hex')
  },
}
