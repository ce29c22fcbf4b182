/** What a data file holds: how many records, which fields, and the range of the numbers in them. */
import { readFile } from 'node:fs/promises'
import { NonRetryableError } from 'pawl'

/** @typedef {{ name: string, min?: number, max?: number, mean?: number }} Field */
/** @typedef {{ records: number | null, fields: Field[] }} Statistics `records` is null for a file that is not a table. */

/** @param {string} path @param {string} format @returns {Promise<Statistics>} */
export async function statisticsOf(path, format) {
  if (format === 'csv') return table(parseDelimited(await readFile(path, 'utf8'), ','))
  if (format === 'tsv') return table(parseDelimited(await readFile(path, 'utf8'), '\t'))
  if (format === 'json') return jsonTable(parseJson(await readFile(path, 'utf8'), path))
  return { records: null, fields: [] }
}

/** @param {string} text @param {string} path */
function parseJson(text, path) {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new NonRetryableError(`${path} is not JSON`, { cause })
  }
}

/** @param {unknown} value @returns {Statistics} */
function jsonTable(value) {
  const records = Array.isArray(value) ? value : [value]
  const first = records[0]
  const names = typeof first === 'object' && first !== null && !Array.isArray(first) ? Object.keys(first) : []
  return {
    records: records.length,
    fields: names.map((name) =>
      field(
        name,
        records.map((record) => record?.[name]),
      ),
    ),
  }
}

/** @param {string[][]} rows the first one names the columns @returns {Statistics} */
function table([header = [], ...rows]) {
  return {
    records: rows.length,
    fields: header.map((name, column) =>
      field(
        name,
        rows.map((row) => numeric(row[column])),
      ),
    ),
  }
}

/** @param {string | undefined} text */
const numeric = (text) => (text === undefined || text.trim() === '' ? undefined : Number(text))

/** @param {string} name @param {unknown[]} values @returns {Field} */
function field(name, values) {
  let [count, sum, min, max] = [0, 0, Infinity, -Infinity]
  for (const value of values) {
    if (typeof value !== 'number' || Number.isNaN(value)) continue
    count += 1
    sum += value
    min = Math.min(min, value)
    max = Math.max(max, value)
  }
  return count === 0 ? { name } : { name, min, max, mean: sum / count }
}

/** CSV and its kin: quoted cells may hold delimiters, line breaks and doubled quotes. @param {string} text @param {string} delimiter */
function parseDelimited(text, delimiter) {
  const rows = []
  let [row, cell, quoted] = [/** @type {string[]} */ ([]), '', false]
  const endCell = () => {
    row.push(cell)
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (quoted && char === '"' && text[at + 1] === '"') cell += text[at++]
    else if (char === '"') quoted = !quoted
    else if (quoted) cell += char
    else if (char === delimiter) endCell()
    else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  endRow()
  return rows
}
