export { admit } from './admit'
export { judge, type Verdict } from './judge'
export { misfit } from './misfit'
export { optionalSchema, type Schema } from './schema'
