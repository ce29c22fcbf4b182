import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { App } from './app'

jest.setTimeout(180_000)

describe('the packed tarballs, installed into an empty folder', () => {
  const tarballs = mkdtempSync(join(tmpdir(), 'pawl-tarballs-'))
  const app = new App()
  const bare = new App()

  beforeAll(async () => {
    const [main, ...platforms] = await App.pack(tarballs)
    await app.install([main as string, ...platforms])
    await bare.install([main as string])
    for (const each of [app, bare]) each.add('programs')
  })

  afterAll(() => {
    app.remove()
    bare.remove()
    rmSync(tarballs, { recursive: true, force: true })
  })

  test('bring nothing but pawl and its addon', () => {
    const packages = readdirSync(app.path('node_modules')).filter((name) => !name.startsWith('.'))
    expect(packages).toEqual(['pawl', expect.stringMatching(/^pawl-[a-z0-9]+-[a-z0-9]+/)])
  })

  test('run a CommonJS program', async () => {
    const ended = await app.node('commonjs.cjs')
    expect(ended).toEqual({ code: 0, stdout: 'HELLO COMMONJS\n', stderr: '' })
  })

  test('run an ES module with the same classes', async () => {
    const ended = await app.node('module.mjs')
    expect(ended).toEqual({ code: 0, stdout: 'completed hello module\ntrue\n', stderr: '' })
  })

  test('bring their types to both module systems', async () => {
    app.lend('@types')
    const program = `const run = (pawl: Pawl) => pawl.run(flow<number>('f').step('add', (n) => n + 1).build(), 1, { id: 'a' })
      export const typed: Promise<RunStatus<number>> = run(null as never)
      // @ts-expect-error: the output is a number
      export const wrong: Promise<RunStatus<string>> = run(null as never)`
    app.write('module.mts', `import { flow, type Pawl, type RunStatus } from 'pawl'\n${program}`)
    app.write('commonjs.cts', `import { flow, type Pawl, type RunStatus } from 'pawl'\n${program}`)
    const tsc = resolve(__dirname, '../../node_modules/typescript/bin/tsc')
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    const ended = await app.node(tsc, ...flags, 'module.mts', 'commonjs.cts')
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('serve an Express app whose worker drains on SIGTERM', async () => {
    app.add('service')
    app.lend('express')
    const service = app.service('service.mjs')
    const [, port] = await service.prints(/listening on (\d+)/)
    const accepted = await fetch(`http://127.0.0.1:${port}/orders/order-1`, { method: 'POST' })
    expect(accepted.status).toBe(202)
    await service.prints(/shipping order-1/)
    service.kill('SIGTERM')
    expect(await service.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/drained\n$/), stderr: '' })

    const again = app.service('service.mjs')
    const [, newPort] = await again.prints(/listening on (\d+)/)
    const status = await (await fetch(`http://127.0.0.1:${newPort}/orders/order-1`)).json()
    expect(status).toMatchObject({ status: 'completed', output: { id: 'order-1', packed: true, shipped: true } })
    again.kill('SIGTERM')
    expect(await again.ended).toMatchObject({ code: 0 })
  })

  describe('in a jest project of two files', () => {
    const bin = resolve(__dirname, '../../node_modules/jest/bin/jest.js')
    const jest = (...args: string[]) => app.node(bin, '--rootDir', app.folder, ...args)

    beforeAll(() => app.add('suite'))

    test('end by themselves, though one connection is left open', async () => {
      const ended = await jest()
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/Tests: +3 passed, 3 total/) })
      expect(ended.stderr).not.toMatch(/did not exit/)
    })

    test('leave no open handle behind once closed', async () => {
      const ended = await jest('--detectOpenHandles', 'first.test.js')
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/Tests: +2 passed, 2 total/) })
      expect(ended.stderr).not.toMatch(/open handle/)
    })
  })

  describe('without a usable platform package', () => {
    const asks = `require('pawl').Pawl.connect('memory:').then(
      () => console.log('connected'),
      (error) => console.log(JSON.stringify({ code: error.code, message: error.message, caused: error.cause !== undefined })),
    )`

    test('a missing one is named in one clear error', async () => {
      await refuses(bare)
    })

    test('a damaged one is named in one clear error', async () => {
      const [, platform] = readdirSync(app.path('node_modules')).filter((name) => name.startsWith('pawl'))
      const [addon] = readdirSync(app.path('node_modules', platform as string)).filter((name) => name.endsWith('.node'))
      bare.write(
        `node_modules/${platform}/package.json`,
        JSON.stringify({ name: platform, version: '0.1.0', main: addon }),
      )
      bare.write(`node_modules/${platform}/${addon}`, 'not an addon')
      await refuses(bare)
    })

    async function refuses(broken: App): Promise<void> {
      broken.write(
        'ask.cjs',
        `try { ${asks} } catch (error) { console.log(JSON.stringify({ code: error.code, message: error.message, caused: error.cause !== undefined })) }`,
      )
      const ended = await broken.node('ask.cjs')
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      const error = JSON.parse(ended.stdout)
      expect(error).toMatchObject({ code: 'PAWL_NATIVE_MISSING', caused: true })
      expect(error.message).toContain(`${process.platform}-${process.arch}`)
    }
  })
})
