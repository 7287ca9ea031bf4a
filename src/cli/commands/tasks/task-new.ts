import { FLOWS } from '../../../tasks/model/flow.ts'
import { collect, isSet, listOption, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson, printLine } from '../../shared/output.ts'
import { printTask } from './task-output.ts'
import { tasksOf } from './task-ports.ts'

export const taskNewCommand: CliCommand = {
  name: 'task new',
  summary: 'begin a governed task: a folder under tasks/ with gates G0 to G10',
  configure(command) {
    command
      .argument('<slug>', 'kebab-case: feat-user-auth')
      .option('--flow <name>', `${FLOWS.join(', ')} (default: feature)`)
      .option('--title <text>', 'what it is about, in one line')
      .option('--criterion <text>', 'what must be true in the end; may be given again', collect)
      .addHelpText(
        'after',
        '\nExample:\n  $ holdfast task new feat-user-auth --criterion "a wrong password is refused"',
      )
  },
  async run({ args: [slug = ''], options, context }) {
    const flow = textOption(options, 'flow')
    const title = textOption(options, 'title')
    const tasks = await tasksOf(context)
    const task = await tasks.create({
      cwd: context.cwd,
      slug,
      criteria: listOption(options, 'criterion'),
      ...(flow !== undefined && { flow }),
      ...(title !== undefined && { title }),
    })
    if (isSet(options, 'json')) printJson(context.io, task)
    else {
      printTask(context.io, task)
      printLine(context.io, `Begin with \`holdfast session start --task ${slug} --goal …\`.`)
    }
    return 0
  },
}
