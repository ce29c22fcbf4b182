import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { line } from './line.cjs'
import { begin } from './program'

const CLAIM_TTL_MS = 500

describe('a step that blocks the event loop', () => {
  let folder: string
  let url: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pawl-event-loop-'))
    url = `sqlite:${join(folder, 'runs.db')}`
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Blocks in another process; a rival on the same database stands ready from then on. */
  async function block(budgetMs: number, blockMs: number) {
    const blocked = begin('blocks.cjs', url, `${CLAIM_TTL_MS}`, `${budgetMs}`, 'order-1', `${blockMs}`)
    await blocked.spoken
    const steal = (_: number, ctx: { attempt: number }) => `attempt ${ctx.attempt} of the rival`
    const rival = await line({ block: steal }, { url, claimTtlMs: CLAIM_TTL_MS })
    const { code, stdout, stderr } = await blocked.ended
    await rival.close()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return { pid: blocked.pid, ...JSON.parse(stdout.replace('blocking\n', '')) }
  }

  test('keeps its claim for as long as the budget allows', async () => {
    const { pid, output } = await block(60_000, CLAIM_TTL_MS * 4)
    expect(output).toBe(`attempt 1 in ${pid}`)
  })

  test('loses it to another worker once it is over the budget', async () => {
    const { output, events } = await block(300, CLAIM_TTL_MS * 8)
    expect(output).toBe('attempt 2 of the rival')
    expect(events).toContain('eventLoopBlocked')
  })
})
