import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Processes, Redactor } from '../../kernel/ports/ports.ts'
import type { Home } from '../../platform/base/home.ts'
import { type Delivery, deliver } from './deliver.ts'
import { findOrMakeSecret, outboxHome, stateFile } from './outbox-home.ts'
import { readOutboxEvents } from './read-events.ts'
import { keyOfSecret } from './signature.ts'

export interface TaskDelivery {
  readonly home: Pick<Home, 'root'>
  /** The checkout whose `tasks/` it is. */
  readonly root: string
  readonly slug: string
  readonly url: URL
  readonly clock: Clock
  readonly processes: Processes
  readonly redactor: Redactor
  readonly pid: number
  /** From 0 up to 1. */
  readonly random: () => number
  /** How long to go on through failures. 0: one try, and only if it is due. */
  readonly patienceMs: number
  readonly isAborted?: () => boolean
}

const STEP_MS = 200

/** Sends what one task has told and nobody has taken yet. */
export function deliverTask(given: TaskDelivery): Promise<Delivery> {
  const { home, root, slug, clock, isAborted = () => false } = given
  return deliver({
    ...given,
    events: readOutboxEvents({ root, slug }).events,
    stateFile: stateFile(outboxHome(home), root, slug),
    key: keyOfSecret(findOrMakeSecret(home)),
    isAborted,
    wait: async (ms) => {
      const untilMs = clock.monotonicMs() + ms
      while (clock.monotonicMs() < untilMs && !isAborted())
        await sleep(Math.min(STEP_MS, untilMs - clock.monotonicMs()))
    },
  })
}
