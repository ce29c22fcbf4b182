import { program } from './program'

describe('a program that uses pawl', () => {
  test('ends by itself once it has closed its connection', async () => {
    expect(await program('ends.cjs', 'closed')).toMatchObject({ code: 0, stdout: '2\n', stderr: '' })
  })

  test('ends by itself when it forgets to close', async () => {
    expect(await program('ends.cjs', 'not closed')).toMatchObject({ code: 0, stdout: '2\n', stderr: '' })
  })

  test('does not end while it waits for an answer', async () => {
    expect(await program('ends.cjs', 'waiting for a result')).toMatchObject({ code: 0, stdout: '2\n', stderr: '' })
  })

  test('does not end while a worker keeps it alive', async () => {
    const ended = await program('ends.cjs', 'kept alive by its worker')
    expect(ended).toMatchObject({ code: 0, stdout: '{ abandoned: [] }\n', stderr: '' })
  })

  test('keeps the exit code it chose, whatever is in flight', async () => {
    expect(await program('ends.cjs', 'process.exit with work in flight')).toMatchObject({ code: 7, stderr: '' })
  })

  test('ends with its own exception, whatever is in flight', async () => {
    const ended = await program('ends.cjs', 'an uncaught exception with work in flight')
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('of the program') })
  })

  test('survives the end of thirty busy worker threads, and keeps nothing of them', async () => {
    const ended = await program('terminates.cjs')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const { afterFive, atTheEnd } = JSON.parse(ended.stdout)
    expect(atTheEnd - afterFive).toBeLessThan(40)
  })
})
