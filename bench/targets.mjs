/**
 * What pawl must reach, always against the yardsticks of the same round: only ratios mean anything on a shared machine.
 *
 * @typedef {object} Target
 * @property {string} workload
 * @property {string} system
 * @property {string} figure
 * @property {string} [against] The yardstick the figure is divided by; without it the figure stands alone.
 * @property {'atLeast' | 'atMost'} must
 * @property {number} bound
 * @property {string} unit
 */

/** @type {Target[]} */
export const targets = [
  {
    workload: 'W1',
    system: 'pawl-sqlite',
    figure: 'stepsPerSecond',
    against: 'hand',
    must: 'atLeast',
    bound: 6,
    unit: '× hand',
  },
  {
    workload: 'W1',
    system: 'pawl-sqlite',
    figure: 'stepsPerSecond',
    against: 'hand-batch',
    must: 'atLeast',
    bound: 0.25,
    unit: '× hand-batch',
  },
  { workload: 'W1', system: 'pawl-sqlite', figure: 'commitsPerStep', must: 'atMost', bound: 0.1, unit: 'commits/step' },
  { workload: 'W1', system: 'pawl-sqlite', figure: 'cpuMicrosPerStep', must: 'atMost', bound: 45, unit: 'CPU µs/step' },
  {
    workload: 'W1',
    system: 'pawl-memory',
    figure: 'cpuMicrosPerStep',
    must: 'atMost',
    bound: 16,
    unit: 'CPU µs/step in memory',
  },
  {
    workload: 'W2',
    system: 'pawl-sqlite',
    figure: 'p50Ms',
    against: 'hand',
    must: 'atMost',
    bound: 1.3,
    unit: '× hand',
  },
  {
    workload: 'W3',
    system: 'pawl-sqlite',
    figure: 'stepsPerSecond',
    against: 'hand-batch',
    must: 'atLeast',
    bound: 0.25,
    unit: '× hand-batch',
  },
  {
    workload: 'W4',
    system: 'pawl-sqlite',
    figure: 'startsPerSecond',
    against: 'hand-batch',
    must: 'atLeast',
    bound: 0.3,
    unit: '× hand-batch',
  },
  { workload: 'W4', system: 'pawl-sqlite', figure: 'kibPerSleeper', must: 'atMost', bound: 1, unit: 'KiB/sleeper' },
  { workload: 'W5', system: 'pawl-sqlite', figure: 'growth', must: 'atMost', bound: 1.1, unit: 'long ÷ short' },
  {
    workload: 'W5',
    system: 'pawl-sqlite',
    figure: 'msPerStepLong',
    against: 'hand',
    must: 'atMost',
    bound: 1.3,
    unit: '× hand, ms/step',
  },
  { workload: 'idle', system: 'pawl-sqlite', figure: 'cpuPercent', must: 'atMost', bound: 1, unit: '% of a core' },
]

/** @typedef {Target & { value: number, met: boolean }} Verdict */

/** Every target whose figures were measured. @param {import('./rounds.mjs').Results} results @returns {Verdict[]} */
export function judge(results) {
  return targets.flatMap((target) => {
    const value = measured(target, results[target.workload])
    if (value === null) return []
    return [{ ...target, value, met: target.must === 'atLeast' ? value >= target.bound : value <= target.bound }]
  })
}

/** @param {Target} target @param {Record<string, import('./rounds.mjs').Figures> | undefined} bySystem */
function measured(target, bySystem) {
  const own = bySystem?.[target.system]?.[target.figure] ?? null
  if (own === null || target.against === undefined) return own
  const yardstick = bySystem?.[target.against]?.[target.figure] ?? null
  return yardstick === null ? null : own / yardstick
}
