/** W5: one run of 1,000 and one of 5,000 sequential steps: the time per step must not grow. */
import { expectValue, upTo } from './common.mjs'

const WARM_UP_STEPS = 10

/** @type {import('./index.mjs').Workload} */
export const w5 = {
  title: 'one long run: ms per step, short against long',
  sizes: { warmUp: 100, short: 1_000, long: 5_000 },
  quick: { warmUp: 30, short: 200, long: 1_000 },
  columns: [
    { key: 'msPerStepShort', title: 'ms/step short', digits: 3 },
    { key: 'msPerStepLong', title: 'ms/step long', digits: 3 },
    { key: 'growth', title: 'long ÷ short', digits: 2 },
  ],
  shape: (sizes) => ({ chains: [WARM_UP_STEPS, sizes.short, sizes.long], fans: [] }),
  async measure({ system, sizes, meter }) {
    const run = async (/** @type {string} */ id, /** @type {number} */ steps, /** @type {number} */ input) =>
      expectValue(id, await system.chain(id, steps, input), input + steps)

    await upTo(1, sizes.warmUp, (n) => run(`warm-${n}`, WARM_UP_STEPS, n))
    const msPerStep = async (/** @type {string} */ id, /** @type {number} */ steps) => {
      const stop = meter()
      await run(id, steps, 7)
      return (stop().seconds * 1_000) / steps
    }
    const msPerStepShort = await msPerStep('short', sizes.short)
    const msPerStepLong = await msPerStep('long', sizes.long)
    return { msPerStepShort, msPerStepLong, growth: msPerStepLong / msPerStepShort }
  },
}
