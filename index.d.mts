// The same contract for ESM: `import { flow } from 'pawl'`.
export * from './index.js'
