import { HoldfastError } from '../../../kernel/errors.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CliContext } from '../../shared/command.ts'
import { getColors, count, oneLine, printJson, printLine, table } from '../../shared/output.ts'
import { findPendingEvents, type DeliveryReport, deliverTask } from '../../../tasks/outbox/deliver.ts'
import { getOrCreateSecret, getOutboxHome, getDeliveryStateFile } from '../../../tasks/outbox/outbox-home.ts'
import { readOutboxEvents } from '../../../tasks/outbox/read-events.ts'
import { formatAddress, parseWebhookAddress } from '../../../tasks/outbox/webhook.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createRedactors } from '../../../platform/redactors.ts'
import { createLocator } from '../../../platform/locator.ts'
import { systemProcesses } from '../../../platform/process/processes.ts'
import { listTaskSlugs } from '../../../tasks/files/task-folder.ts'

export interface OutboxAt {
  readonly root: string
  readonly slugs: readonly string[]
}

/** The tasks of this checkout: all, or the given one. */
export async function outboxAt({ cwd }: CliContext, slug: string | undefined): Promise<OutboxAt> {
  const { worktree: root } = await createLocator({ clock: systemClock }).locate(cwd)
  const slugs = listTaskSlugs(root)
  if (slug === undefined) return { root, slugs }
  if (slugs.includes(slug)) return { root, slugs: [slug] }
  throw new HoldfastError('not-found', `${root} has no task ${JSON.stringify(slug)}.`, {
    hint: slugs.length === 0 ? 'Create one with `holdfast task new <slug>`.' : `Its tasks: ${slugs.join(', ')}.`,
  })
}

export function getStateFile({ home }: CliContext, root: string, slug: string): string {
  return getDeliveryStateFile(getOutboxHome(home), root, slug)
}

/** Undefined when no address is configured; then nothing is sent. */
export function findWebhook({ config }: CliContext): URL | undefined {
  return config.outbox.url === '' ? undefined : parseWebhookAddress(config.outbox.url)
}

export interface DeliveryRequest {
  readonly root: string
  readonly slug: string
  readonly url: URL
  readonly patienceMs: number
}

export async function deliverNow(context: CliContext, given: DeliveryRequest): Promise<DeliveryReport> {
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

export const outboxStatusCommand: CliCommand = {
  configure(command) {
    command
      .option('--task <slug>', 'only this task')
      .addHelpText('after', '\nThe setting outbox.url is the address; without it nothing is sent.')
  },
  async run({ options, context }) {
    const { io } = context
    const { root, slugs } = await outboxAt(context, textOption(options, 'task'))
    const url = findWebhook(context)
    const tasks = slugs.map((slug) => {
      const { events, unreadable } = readOutboxEvents({ root, slug })
      const { pending, ...rest } = findPendingEvents(events, getStateFile(context, root, slug))
      return {
        task: slug,
        events: events.length,
        unreadable,
        ...rest,
        pending: pending.map(({ id, type }) => ({ id, type })),
      }
    })
    // Created here at the latest: the receiver needs it before the first event.
    if (url !== undefined) getOrCreateSecret(context.home)
    const address = url === undefined ? null : formatAddress(url)
    if (isSet(options, 'json')) {
      printJson(io, { url: address, secretFile: getOutboxHome(context.home).secretFile, tasks })
      return 0
    }
    printLine(
      io,
      address === null
        ? 'No webhook. Set `outbox.url` in the user configuration to send events.'
        : `Webhook: ${address}`,
    )
    if (address !== null) printLine(io, `Signed with the secret in ${getOutboxHome(context.home).secretFile}.`)
    if (tasks.length === 0) printLine(io, 'No tasks here.')
    else
      io.out(
        table([
          ['task', 'delivered', 'waiting', ''],
          ...tasks.map((task) => [
            task.task,
            String(task.delivered),
            String(task.pending.length),
            [
              ...(task.lastFailure === undefined
                ? []
                : [`last try: ${oneLine(task.lastFailure, 60)}, next ${task.nextTryAt ?? ''}`]),
              ...(task.unreadable === 0 ? [] : [`${count(task.unreadable, 'line')} unreadable`]),
            ].join('; '),
          ]),
        ]),
      )
    return 0
  },
}

const DEFAULT_PATIENCE_S = 60

export const outboxDeliverCommand: CliCommand = {
  configure(command) {
    command
      .option('--task <slug>', 'only this task')
      .option('--for <seconds>', `retry failures for this long (default ${DEFAULT_PATIENCE_S})`, wholeNumber(0, 86_400))
      .addHelpText(
        'after',
        '\nEvents are sent in order: a failing event delays the ones after it.\nExit code: 1 if events are still waiting.\n\nExample, every five minutes:\n  */5 * * * * cd /path/to/project && holdfast outbox deliver --for 240',
      )
  },
  async run({ options, context }) {
    const { io } = context
    const url = findWebhook(context)
    if (url === undefined)
      throw new HoldfastError('invalid-input', 'No webhook is configured.', {
        hint: 'Set outbox.url in the user configuration (`holdfast config` names the file), or HOLDFAST_OUTBOX_URL.',
      })
    const { root, slugs } = await outboxAt(context, textOption(options, 'task'))
    const patienceMs = (numberOption(options, 'for') ?? DEFAULT_PATIENCE_S) * 1_000
    // Events are ordered within a task only, so tasks are delivered in parallel.
    const tasks = await Promise.all(
      slugs.map(async (slug) => ({ task: slug, ...(await deliverNow(context, { root, slug, url, patienceMs })) })),
    )
    if (isSet(options, 'json')) printJson(io, { tasks })
    else {
      const { green, yellow } = getColors(io)
      for (const { task, delivered, pending, state, lastFailure, nextTryAt } of tasks) {
        const sent = `${task}: ${count(delivered, 'event')} delivered`
        if (state === 'done') printLine(io, `${green('✓')} ${sent}`)
        else if (state === 'busy') printLine(io, `${yellow('…')} ${task}: another process is delivering its events`)
        else
          printLine(
            io,
            `${yellow('…')} ${sent}, ${pending} waiting: ${oneLine(lastFailure ?? '', 80)}; next try ${nextTryAt ?? 'now'}`,
          )
      }
      if (tasks.length === 0) printLine(io, 'No tasks here.')
    }
    return tasks.every(({ pending }) => pending === 0) ? 0 : 1
  },
}
