import { HoldfastError } from '../../../kernel/errors.ts'
import type { Delivery } from '../../../tasks/outbox/deliver.ts'
import { deliverTask } from '../../../tasks/outbox/deliver-task.ts'
import { outboxHome, stateFile } from '../../../tasks/outbox/outbox-home.ts'
import { parseWebhookAddress } from '../../../tasks/outbox/webhook-address.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createRedactors } from '../../../platform/env-secrets.ts'
import { createPlaces } from '../../../platform/places.ts'
import { systemProcesses } from '../../../platform/process/processes.ts'
import { listTaskSlugs } from '../../../tasks/files/task-folder.ts'
import type { CliContext } from '../../shared/command.ts'

export interface OutboxAt {
  readonly root: string
  readonly slugs: readonly string[]
}

/** The tasks of this checkout whose events are meant: all, or the one that was named. */
export async function outboxAt({ cwd }: CliContext, slug: string | undefined): Promise<OutboxAt> {
  const { worktree: root } = await createPlaces({ clock: systemClock }).locate(cwd)
  const slugs = listTaskSlugs(root)
  if (slug === undefined) return { root, slugs }
  if (slugs.includes(slug)) return { root, slugs: [slug] }
  throw new HoldfastError('not-found', `There is no task ${JSON.stringify(slug)} in ${root}.`, {
    hint: slugs.length === 0 ? 'Make one with `holdfast task new <slug>`.' : `There are: ${slugs.join(', ')}.`,
  })
}

export function stateFileOf({ home }: CliContext, root: string, slug: string): string {
  return stateFile(outboxHome(home), root, slug)
}

/** Undefined when the user has set no address: then nothing is ever sent. */
export function findWebhook({ config }: CliContext): URL | undefined {
  return config.outbox.url === '' ? undefined : parseWebhookAddress(config.outbox.url)
}

export interface Delivering {
  readonly root: string
  readonly slug: string
  readonly url: URL
  readonly patienceMs: number
}

export async function deliverNow(context: CliContext, given: Delivering): Promise<Delivery> {
  const { config, home } = context
  const redactors = createRedactors({ enabled: config.redaction.envFiles, clock: systemClock })
  return deliverTask({
    ...given,
    home,
    clock: systemClock,
    processes: systemProcesses,
    redactor: await redactors.forWorktree(given.root),
    pid: process.pid,
    random: Math.random,
  })
}
