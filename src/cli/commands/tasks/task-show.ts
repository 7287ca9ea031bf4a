import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { colorsOf, count, oneLine, printJson, printLine } from '../../shared/output.ts'
import { printTask } from './task-output.ts'
import { tasksOf } from './task-ports.ts'

export const taskShowCommand: CliCommand = {
  name: 'task show',
  summary: 'where a governed task stands: gates, sessions, last checkpoint, findings',
  configure(command) {
    command.argument('<slug>', 'the task')
  },
  async run({ args: [slug = ''], options, context }) {
    const { io } = context
    const detail = await (await tasksOf(context)).show({ cwd: context.cwd, slug })
    if (isSet(options, 'json')) {
      printJson(io, detail)
      return 0
    }
    const { yellow } = colorsOf(io)
    printTask(io, detail)
    printLine(io, `  Entered: ${detail.gates_held.join(', ')}`)
    printLine(
      io,
      `  ${count(detail.sessions.length, 'session')}, ${count(detail.index.checkpoints.length, 'checkpoint')}`,
    )
    const { last_checkpoint: last } = detail
    if (last !== null) printLine(io, `  Last: ${last.checkpoint_id} (${last.type}) ${oneLine(last.summary, 120)}`)
    if (last !== null) printLine(io, `  Resume: ${oneLine(last.resume_instructions, 160)}`)
    for (const { message } of detail.findings) printLine(io, yellow(`  ! ${oneLine(message, 200)}`))
    return 0
  },
}
