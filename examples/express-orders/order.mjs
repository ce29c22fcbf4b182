/**
 * What an order is, and what is wrong with one.
 *
 * @typedef {{ sku: string, quantity: number, cents: number }} Item
 * @typedef {{ id: string, email: string, items: Item[] }} Order
 */

/** @param {Order} order @returns {string[]} one sentence per problem */
export function problemsOf({ id, email, items }) {
  const problems = []
  if (typeof id !== 'string') problems.push('id must be a text')
  if (typeof email !== 'string' || !email.includes('@')) problems.push('email must be an address')
  if (!Array.isArray(items) || items.length === 0) problems.push('items must not be empty')
  else if (items.some(({ quantity }) => !(Number.isInteger(quantity) && quantity > 0))) {
    problems.push('every quantity must be a whole number above zero')
  }
  return problems
}

/** @param {Order} order */
export const totalOf = ({ items }) => items.reduce((cents, item) => cents + item.quantity * item.cents, 0)
