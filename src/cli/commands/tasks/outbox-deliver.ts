import { HoldfastError } from '../../../kernel/errors.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { deliverNow, findWebhook, outboxAt } from './outbox-ports.ts'
import { colorsOf, count, oneLine, printJson, printLine } from '../../shared/output.ts'

const DEFAULT_PATIENCE_S = 60

export const outboxDeliverCommand: CliCommand = {
  name: 'outbox deliver',
  summary: 'send what waits to the webhook, each event until it is taken, in order',
  configure(command) {
    command
      .option('--task <slug>', 'only this task')
      .option(
        '--for <seconds>',
        `go on through failures this long (default ${DEFAULT_PATIENCE_S})`,
        wholeNumber(0, 86_400),
      )
      .addHelpText(
        'after',
        '\nAn event that is not taken holds back those behind it; nothing is passed over. Ends with 1 while something waits.\n\nExample, every five minutes:\n  */5 * * * * cd /path/to/project && holdfast outbox deliver --for 240',
      )
  },
  async run({ options, context }) {
    const { io } = context
    const url = findWebhook(context)
    if (url === undefined)
      throw new HoldfastError('invalid-input', 'There is no webhook to deliver to.', {
        hint: 'Set outbox.url in the user configuration (`holdfast config` names the file), or HOLDFAST_OUTBOX_URL.',
      })
    const { root, slugs } = await outboxAt(context, textOption(options, 'task'))
    const patienceMs = (numberOption(options, 'for') ?? DEFAULT_PATIENCE_S) * 1_000
    // Tasks have no order among each other: one that waits does not hold back the rest.
    const tasks = await Promise.all(
      slugs.map(async (slug) => ({ task: slug, ...(await deliverNow(context, { root, slug, url, patienceMs })) })),
    )
    if (isSet(options, 'json')) printJson(io, { tasks })
    else {
      const { green, yellow } = colorsOf(io)
      for (const { task, delivered, pending, state, lastFailure, nextTryAt } of tasks) {
        const sent = `${task}: ${count(delivered, 'event')} delivered`
        if (state === 'done') printLine(io, `${green('✓')} ${sent}`)
        else if (state === 'busy') printLine(io, `${yellow('…')} ${task}: another process is delivering it`)
        else
          printLine(
            io,
            `${yellow('…')} ${sent}, ${pending} waiting: ${oneLine(lastFailure ?? '', 80)}; next try ${nextTryAt ?? 'now'}`,
          )
      }
      if (tasks.length === 0) printLine(io, 'There are no tasks here.')
    }
    return tasks.every(({ pending }) => pending === 0) ? 0 : 1
  },
}
