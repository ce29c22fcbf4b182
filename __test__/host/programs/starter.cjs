// A process without any flow's code: connects, waits for the word, and starts the same run many times. FILE ID COUNT.
'use strict'
const { Pawl } = require('../../../dist')

const tell = (what, data) => process.send?.({ what, at: Date.now(), data })

async function main([file, id, count]) {
  tell('up')
  await new Promise((resolve) => process.once('message', resolve))
  const pawl = await Pawl.connect(`sqlite:${file}`).catch((error) => tell('failed', `${error.code}: ${error.message}`))
  tell('connected')
  const options = { id, onConflict: 'useExisting' }
  const starts = Array.from({ length: Number(count) }, () => pawl.start('asking', process.pid, options))
  const ends = await Promise.allSettled(starts)
  tell(
    'started',
    ends.map(({ status, value, reason }) => (status === 'fulfilled' ? value.existing : reason.message)),
  )
  if (ends.length > 0) {
    const [{ value: run }] = ends
    await run.signal('go', 'hello', { key: 'once' })
    tell('ended', await run.result())
  }
  await pawl.close()
  process.disconnect()
}

main(process.argv.slice(2))
