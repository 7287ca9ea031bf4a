import { getErrorMessage } from '../../kernel/errors.ts'
import type { Clock, Log, Processes, Redactors } from '../../kernel/ports/ports.ts'
import { deliverTask } from '../../tasks/outbox/deliver.ts'
import { parseWebhookAddress } from '../../tasks/outbox/webhook.ts'
import type { Home } from '../../platform/base/home.ts'
import { listTaskSlugs } from '../../tasks/files/task-folder.ts'

export interface OutboxDeliveryPorts {
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

/** Sends the outbox events of the tasks in these checkouts, one round at a time; a failed event waits for the next round. */
export function createOutboxDelivery(ports: OutboxDeliveryPorts): (roots: readonly string[]) => Promise<void> {
  let isUnderWay = false

  async function deliverAll(root: string, url: URL): Promise<void> {
    for (const slug of listTaskSlugs(root)) {
      const redactor = await ports.redactors.forWorktree(root)
      const { delivered, pending, lastFailure } = await deliverTask({
        ...ports,
        root,
        slug,
        url,
        redactor,
        patienceMs: 0,
      })
      if (delivered > 0 || lastFailure !== undefined)
        ports.log.info('events sent', { task: slug, delivered, pending, lastFailure })
    }
  }

  return async (roots) => {
    if (ports.url === '' || isUnderWay) return
    isUnderWay = true
    try {
      const url = parseWebhookAddress(ports.url)
      for (const root of roots) await deliverAll(root, url)
    } catch (error) {
      ports.log.warn('events not sent', { error: getErrorMessage(error) })
    } finally {
      isUnderWay = false
    }
  }
}
