/** Which HTTP status says what a PawlError says. */
const STATUS_OF_CODE = {
  PAWL_ARGUMENT: 400,
  PAWL_OPTION: 400,
  PAWL_SERIALIZATION: 400,
  PAWL_SCHEMA: 400,
  PAWL_VALUE_TOO_LARGE: 413,
  PAWL_RUN_NOT_FOUND: 404,
  PAWL_RUN_EXISTS: 409,
  PAWL_RUN_CONFLICT: 409,
  PAWL_RUN_ENDED: 409,
  PAWL_RUN_CANCELLED: 410,
  PAWL_RUN_FAILED: 422,
  PAWL_STORE_BUSY: 503,
  PAWL_STORE_FULL: 503,
  PAWL_STORE_UNAVAILABLE: 503,
  PAWL_CLOSED: 503,
  PAWL_RESULT_TIMEOUT: 504,
}

/** The last middleware of the app. Express knows it by its four parameters. @type {import('express').ErrorRequestHandler} */
export function answerError(error, _request, response, _next) {
  const status = STATUS_OF_CODE[error.code] ?? error.status ?? 500
  response.status(status).json({ code: error.code ?? 'INTERNAL', message: error.message })
}
