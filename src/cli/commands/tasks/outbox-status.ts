import { pendingEvents } from '../../../tasks/outbox/deliver.ts'
import { findOrMakeSecret, outboxHome } from '../../../tasks/outbox/outbox-home.ts'
import { readOutboxEvents } from '../../../tasks/outbox/read-events.ts'
import { shownAddress } from '../../../tasks/outbox/webhook-address.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { findWebhook, outboxAt, stateFileOf } from './outbox-ports.ts'
import { count, oneLine, printJson, printLine, table } from '../../shared/output.ts'

export const outboxStatusCommand: CliCommand = {
  name: 'outbox status',
  summary: 'events of governed tasks: what was delivered, what waits and why',
  configure(command) {
    command
      .option('--task <slug>', 'only this task')
      .addHelpText('after', '\nThe address is `outbox.url` of the user configuration; without one nothing is sent.')
  },
  async run({ options, context }) {
    const { io } = context
    const { root, slugs } = await outboxAt(context, textOption(options, 'task'))
    const url = findWebhook(context)
    const tasks = slugs.map((slug) => {
      const { events, unreadable } = readOutboxEvents({ root, slug })
      const { pending, ...rest } = pendingEvents(events, stateFileOf(context, root, slug))
      return {
        task: slug,
        events: events.length,
        unreadable,
        ...rest,
        pending: pending.map(({ id, type }) => ({ id, type })),
      }
    })
    // Made here at the latest: a receiver has to know it before the first event arrives.
    if (url !== undefined) findOrMakeSecret(context.home)
    const address = url === undefined ? null : shownAddress(url)
    if (isSet(options, 'json')) {
      printJson(io, { url: address, secretFile: outboxHome(context.home).secretFile, tasks })
      return 0
    }
    printLine(
      io,
      address === null
        ? 'No webhook: set `outbox.url` in the user configuration to send events.'
        : `Webhook: ${address}`,
    )
    if (address !== null) printLine(io, `Signed with the secret in ${outboxHome(context.home).secretFile}.`)
    if (tasks.length === 0) printLine(io, 'There are no tasks here.')
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
              ...(task.unreadable === 0 ? [] : [`${count(task.unreadable, 'line')} cannot be read`]),
            ].join('; '),
          ]),
        ]),
      )
    return 0
  },
}
