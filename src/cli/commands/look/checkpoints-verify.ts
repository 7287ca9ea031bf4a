import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { count, oneLine, printJson, printLine } from '../../shared/output.ts'
import { tasksOf } from '../tasks/task-ports.ts'

export const checkpointsVerifyCommand: CliCommand = {
  name: 'checkpoints verify',
  summary: "whether a governed task's checkpoints are all there, unchanged and in one chain",
  configure(command) {
    command
      .requiredOption('--task <slug>', 'the task')
      .option('--repair', 'make index and status again from the files, and join what a merge left apart')
      .addHelpText(
        'after',
        '\nExits with 0 when the chain is sound and with 1 when it is not; each finding is one line.',
      )
  },
  async run({ options, context }) {
    const { io } = context
    const tasks = await tasksOf(context)
    const at = { cwd: context.cwd, slug: textOption(options, 'task') ?? '' }
    const verified = isSet(options, 'repair') ? await tasks.repair(at) : await tasks.verify(at)
    const { findings, checkpoints, sessions, head } = verified
    if (isSet(options, 'json')) printJson(io, { ...verified, isSound: findings.length === 0 })
    else if (findings.length === 0)
      printLine(
        io,
        `Sound: ${count(checkpoints, 'checkpoint')} of ${count(sessions, 'session')} in one chain, up to ${head ?? 'none'}.`,
      )
    else
      for (const { kind, subject, message, remedy } of findings)
        printLine(io, oneLine(`${kind} ${subject}: ${message} ${remedy}`, 2_000))
    return findings.length === 0 ? 0 : 1
  },
}
