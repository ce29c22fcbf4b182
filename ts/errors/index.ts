export { CallSite } from './call-site'
export { ERROR_CODES, type ErrorCode, toErrorCode } from './codes'
export { PawlError, type PawlErrorOptions, type RunOfError } from './pawl-error'
export { NonRetryableError, RetryAfterError, steeringOf } from './steering'
