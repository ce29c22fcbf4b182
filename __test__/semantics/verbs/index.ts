import { cancel } from './cancel'
import { delays } from './delays'
import { forks } from './forks'
import { pause } from './pause'
import { resume } from './resume'
import { retries } from './retries'
import type { Scenario } from './scenario'
import { signals } from './signals'
import { starts } from './starts'
import { status } from './status'
import { steps } from './steps'
import { timeouts } from './timeouts'
import { values } from './values'

/** Everything that flows can do, by name: the rows of docs/VERBS.md. */
export const verbs: Readonly<Record<string, Scenario>> = {
  ...steps,
  ...retries,
  ...timeouts,
  ...delays,
  ...signals,
  ...forks,
  ...cancel,
  ...pause,
  ...resume,
  ...starts,
  ...status,
  ...values,
}
