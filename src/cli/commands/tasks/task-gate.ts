import { GATES, gateLabel } from '../../../tasks/model/gate.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson } from '../../shared/output.ts'
import { addContentOptions, contentOf } from './task-content.ts'
import { printCheckpoint } from './task-output.ts'
import { tasksOf } from './task-ports.ts'

export const taskGateCommand: CliCommand = {
  name: 'task gate',
  summary: 'enter a gate, when everything before it holds; writes a checkpoint',
  configure(command) {
    command
      .argument('<slug>', 'the task')
      .argument('<gate>', 'G0 to G10, or a name such as plan')
      .option('--reason <text>', 'why, where it goes back')
    addContentOptions(command).addHelpText('after', `\nGates: ${GATES.map(gateLabel).join(', ')}.`)
  },
  async run({ args: [slug = '', gate = ''], options, context }) {
    const reason = textOption(options, 'reason')
    const tasks = await tasksOf(context)
    const written = await tasks.enterGate({
      cwd: context.cwd,
      slug,
      gate,
      content: contentOf(options),
      ...(reason !== undefined && { reason }),
    })
    if (isSet(options, 'json')) printJson(context.io, written)
    else printCheckpoint(context.io, written)
    return 0
  },
}
