import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultFolder } from './files.mjs'

/** `main.mjs [folder] [--state FOLDER] [--effects FILE]` */
export function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      state: { type: 'string', default: '.pawl/ingest' },
      effects: { type: 'string' },
      concurrency: { type: 'string', default: '4' },
    },
  })
  return {
    folder: resolve(positionals[0] ?? defaultFolder()),
    state: resolve(values.state),
    effects: values.effects,
    concurrency: Number(values.concurrency),
  }
}
