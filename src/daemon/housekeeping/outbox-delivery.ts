import { messageOf } from '../../kernel/errors.ts'
import type { Clock, Log, Processes, Redactors } from '../../kernel/ports/ports.ts'
import { deliverTask } from '../../tasks/outbox/deliver-task.ts'
import { parseWebhookAddress } from '../../tasks/outbox/webhook-address.ts'
import type { Home } from '../../platform/base/home.ts'
import { listTaskSlugs } from '../../tasks/files/task-folder.ts'

export interface OutboxDeliveryDeps {
  readonly home: Pick<Home, 'root'>
  /** `outbox.url`; empty sends nothing. */
  readonly url: string
  readonly clock: Clock
  readonly log: Log
  readonly processes: Processes
  readonly redactors: Redactors
  readonly pid: number
  readonly random: () => number
}

/** Sends what the tasks of these checkouts have told; one round at a time, and what fails waits for a later one. */
export function createOutboxDelivery(deps: OutboxDeliveryDeps): (roots: readonly string[]) => Promise<void> {
  let isUnderWay = false

  async function deliverAll(root: string, url: URL): Promise<void> {
    for (const slug of listTaskSlugs(root)) {
      const redactor = await deps.redactors.forWorktree(root)
      const { delivered, pending, lastFailure } = await deliverTask({
        ...deps,
        root,
        slug,
        url,
        redactor,
        patienceMs: 0,
      })
      if (delivered > 0 || lastFailure !== undefined)
        deps.log.info('events sent', { task: slug, delivered, pending, lastFailure })
    }
  }

  return async (roots) => {
    if (deps.url === '' || isUnderWay) return
    isUnderWay = true
    try {
      const url = parseWebhookAddress(deps.url)
      for (const root of roots) await deliverAll(root, url)
    } catch (error) {
      deps.log.warn('events not sent', { error: messageOf(error) })
    } finally {
      isUnderWay = false
    }
  }
}
