export { attributed } from './attributed'
export { codeOf, type Connection, definitionsOf } from './connection'
export { connectionOf, Pawl } from './pawl'
