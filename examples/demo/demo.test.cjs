/** The demo is its own test: it checks all it shows, and ends with 0 only if everything was as it must be. */
const { join } = require('node:path')
const { startChild } = require('../support/child.cjs')
const { tempFolder } = require('../support/temp-folder.cjs')

const state = tempFolder('demo')

test('the demo kills, resumes, takes orders, and finds everything as it must be', async () => {
  const demo = startChild(join(__dirname, 'run.mjs'), ['--orders', '30', '--state', state])
  const { code } = await demo.ended
  expect({ code, output: demo.output() }).toEqual({ code: 0, output: expect.stringContaining('Where to look') })
  expect(demo.output()).not.toContain('✗')
}, 60_000)
