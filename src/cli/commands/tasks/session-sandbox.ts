import { HoldfastError } from '../../../kernel/errors.ts'
import { leaveSandbox } from '../../../tasks/context-safety/io/sandbox-session.ts'
import { readSafety, safetyPath } from '../../../tasks/context-safety/io/safety-record.ts'
import { getCurrentSession, openTask } from '../../../tasks/files/open-task.ts'
import { isSet, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { oneLine, printJson, printLine } from '../../shared/output.ts'
import { taskWorld } from './task-ports.ts'

export const sessionSandboxCommand: CliCommand = {
  name: 'session sandbox',
  summary: 'whether a session of a governed task was degraded to reading, and the way out',
  configure(command) {
    command
      .requiredOption('--task <slug>', 'the task')
      .option('--session <id>', 'the task session; the one under way unless told', sessionKey)
      .option('--leave', 'let the session go on: a person looked at what was found')
      .option('--reason <text>', 'why it may go on; kept in the log')
  },
  async run({ options, context }) {
    const { io } = context
    const slug = textOption(options, 'task') ?? ''
    const world = await taskWorld(context)
    const task = await openTask(world, { cwd: context.cwd, slug })
    const { session_id: sessionId } = getCurrentSession(task.folder, textOption(options, 'session'))
    const reason = textOption(options, 'reason')
    if (isSet(options, 'leave') && reason === undefined)
      throw new HoldfastError('invalid-input', 'Leaving the sandbox needs a reason.', {
        hint: `Say what you looked at: \`holdfast session sandbox --task ${slug} --leave --reason "…"\`.`,
      })
    const record =
      isSet(options, 'leave') && reason !== undefined
        ? await leaveSandbox(world, task, { sessionId, reason })
        : readSafety(task.folder, sessionId)
    if (isSet(options, 'json')) {
      printJson(io, record)
      return 0
    }
    const { sandbox, meter, tokens_source: source } = record
    printLine(
      io,
      sandbox === null
        ? `${sessionId} is not in the sandbox.`
        : `${sessionId} may only read since ${sandbox.since}: ${oneLine(sandbox.reason, 300)}`,
    )
    if (source !== null) printLine(io, `Context: ${meter.tokens} tokens, ${source}.`)
    const log = safetyPath(sessionId)
    if (task.folder.bytes(log) !== undefined) printLine(io, `Log: ${task.folder.pathOf(log)}`)
    return 0
  },
}
