import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import * as pawl from 'pawl'
import { NonRetryableError, PawlError, RetryAfterError } from 'pawl'
import { steeringOf } from '../../ts/errors'

const ROOT = join(__dirname, '../..')

function refused(): PawlError {
  try {
    pawl.flow('f').step('a', undefined as never)
  } catch (error) {
    if (PawlError.is(error)) return error
  }
  throw new Error('it was accepted')
}

test('errors are recognised across realms and across copies of the package', () => {
  const error = refused()
  expect(error).toBeInstanceOf(Error)
  expect(PawlError.is(error)).toBe(true)
  jest.isolateModules(() => {
    const copy = require('pawl') as typeof pawl
    expect(copy.PawlError).not.toBe(PawlError)
    expect(error instanceof copy.PawlError).toBe(false)
    expect(copy.PawlError.is(error)).toBe(true)
  })
})

test.each([undefined, null, 5, 'PAWL_ARGUMENT', {}, new Error('x'), { code: 'PAWL_ARGUMENT' }])(
  '%p is none of ours',
  (value) => {
    expect(PawlError.is(value)).toBe(false)
  },
)

test('an error prints its name, its message and its code', () => {
  const error = refused()
  expect(String(error)).toMatch(/^PawlError: step "a"/)
  expect(Object.keys(error)).toEqual(['code'])
  expect(error.stack).toContain('errors.test')
})

test('what a step throws steers its retries, also from another copy of the package', () => {
  expect(steeringOf(new NonRetryableError('x'))).toEqual({ retryable: false, retryAfterMs: null })
  expect(steeringOf(new RetryAfterError('x', '2s'))).toEqual({ retryable: true, retryAfterMs: 2_000 })
  class Own extends NonRetryableError {}
  expect(steeringOf(new Own('x')).retryable).toBe(false)
  const foreign = runInContext('new TypeError("x")', createContext())
  for (const thrown of [foreign, undefined, null, 'x', 5n, Symbol('x'), {}]) {
    expect(steeringOf(thrown)).toEqual({ retryable: true, retryAfterMs: null })
  }
})

test('steering errors are errors with a name and a cause', () => {
  const error = new NonRetryableError('no use', { cause: 'why' })
  expect(error).toMatchObject({ name: 'NonRetryableError', message: 'no use', cause: 'why' })
  expect(new RetryAfterError('later', 5)).toMatchObject({ name: 'RetryAfterError', afterMs: 5 })
})

test('import and require give the same classes under the same names', () => {
  const program = `
    import { createRequire } from 'node:module'
    import * as esm from 'pawl'
    const cjs = createRequire(import.meta.url)('pawl')
    const names = Object.keys(cjs).sort()
    const same = names.every((name) => esm[name] === cjs[name])
    console.log(JSON.stringify({ names, esm: Object.keys(esm).filter((n) => n !== 'default' && n !== 'module.exports').sort(), same }))
  `
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, encoding: 'utf8' })
  const names = ['NonRetryableError', 'Pawl', 'PawlError', 'RetryAfterError', 'Worker', 'flow', 'task']
  expect(JSON.parse(output)).toEqual({ names, esm: names, same: true })
})
