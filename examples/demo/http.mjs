/** The few HTTP calls the demo makes. */
/** @typedef {{ status: number, body: any }} Answer */

/** @param {string} base */
export function httpClient(base) {
  /** @param {string} path @param {RequestInit} [init] @returns {Promise<Answer>} */
  async function call(path, init) {
    const response = await fetch(`${base}${path}`, init)
    return { status: response.status, body: await response.json() }
  }
  return {
    /** @param {string} path */
    get: (path) => call(path),
    /** @param {string} path @param {unknown} body @param {Record<string, string>} [headers] */
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  }
}
