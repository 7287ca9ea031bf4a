import { HoldfastError } from '../../../kernel/errors.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson } from '../../shared/output.ts'
import { printTask } from './task-output.ts'
import { tasksOf } from './task-ports.ts'

export const taskBlockCommand: CliCommand = {
  name: 'task block',
  summary: 'say what stands in the way of a task, or that it no longer does',
  configure(command) {
    command
      .argument('<slug>', 'the task')
      .argument('[reason]', 'what stands in the way')
      .option('--clear', 'it no longer does; without a reason, nothing does')
  },
  async run({ args: [slug = '', reason], options, context }) {
    const tasks = await tasksOf(context)
    const at = { cwd: context.cwd, slug }
    if (!isSet(options, 'clear') && reason === undefined)
      throw new HoldfastError('invalid-input', 'Nobody said what stands in the way.', {
        hint: `holdfast task block ${slug} "waiting for the schema", or --clear.`,
      })
    const task = isSet(options, 'clear')
      ? await tasks.unblock({ ...at, ...(reason !== undefined && { reason }) })
      : await tasks.block({ ...at, reason: reason ?? '' })
    if (isSet(options, 'json')) printJson(context.io, task)
    else printTask(context.io, task)
    return 0
  },
}
