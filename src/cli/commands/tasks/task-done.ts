import { collect, isSet, listOption, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson } from '../../shared/output.ts'
import { printTask } from './task-output.ts'
import { tasksOf } from './task-ports.ts'

export const taskDoneCommand: CliCommand = {
  name: 'task done',
  summary: 'archive a task once every gate its flow needs was entered',
  configure(command) {
    command
      .argument('<slug>', 'the task')
      .option('--summary <text>', 'what came of it')
      .option('--lesson <text>', 'what was learnt; may be given again', collect)
  },
  async run({ args: [slug = ''], options, context }) {
    const summary = textOption(options, 'summary')
    const tasks = await tasksOf(context)
    const task = await tasks.finish({
      cwd: context.cwd,
      slug,
      lessons: listOption(options, 'lesson'),
      ...(summary !== undefined && { summary }),
    })
    if (isSet(options, 'json')) printJson(context.io, task)
    else printTask(context.io, task)
    return 0
  },
}
