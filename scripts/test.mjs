// `npm test`: makes ready what is missing, then runs every test there is.
import { prepare } from './prepare.mjs'
import { runSuites } from './lib/report.mjs'
import { main } from './lib/stage.mjs'

await main(async () => {
  await prepare()
  await runSuites()
})
