import { HoldfastError } from '../../../kernel/errors.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { isSet, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { count, oneLine, printableName, printJson, printLine } from '../../shared/output.ts'
import { machineNames } from '../../shared/machine-of.ts'
import { tasksOf } from '../tasks/task-ports.ts'

async function showTaskSession({ options, context }: CommandInput, slug: string, id: string): Promise<void> {
  const { io } = context
  const detail = await (await tasksOf(context)).show({ cwd: context.cwd, slug })
  const session = detail.sessions.find(({ session_id }) => session_id === id)
  if (session === undefined)
    throw new HoldfastError('not-found', `There is no session ${id} of ${slug}.`, {
      hint: `There are: ${
        detail.sessions
          .map(({ session_id }) => session_id)
          .slice(-10)
          .join(', ') || 'none'
      }.`,
    })
  const checkpoints = detail.index.checkpoints.filter(({ session_id }) => session_id === id)
  if (isSet(options, 'json')) return printJson(io, { ...session, checkpoints })
  printLine(io, `${session.session_id}  ${session.state}  ${session.current_gate}  ${session.outcome ?? ''}`.trimEnd())
  if (session.goal !== null) printLine(io, `  Goal: ${oneLine(session.goal, 160)}`)
  if (session.parent_session !== null) printLine(io, `  After: ${session.parent_session}`)
  for (const child of session.child_sessions) printLine(io, `  Before: ${child}`)
  if (session.harness_session !== null) printLine(io, `  Works in: ${printableName(session.harness_session)}`)
  if (session.context_tokens !== null) printLine(io, `  Context: ${count(session.context_tokens, 'token')}`)
  for (const { at, from, to, reason } of session.transitions)
    printLine(io, `  ${at}  ${from} → ${to}: ${oneLine(reason, 120)}`)
  for (const { checkpoint_id, type, gate, summary } of checkpoints)
    printLine(io, `  ${checkpoint_id}  ${gate} ${type}: ${oneLine(summary, 100)}`)
}

export const sessionsShowCommand: CliCommand = {
  name: 'sessions show',
  summary: 'one session; with --task, one of a governed task with its steps and checkpoints',
  configure(command) {
    command.argument('<id>', 'the session', sessionKey).option('--task <slug>', 'a session of this governed task')
  },
  async run(input) {
    const {
      args: [id = ''],
      options,
      context,
    } = input
    const slug = textOption(options, 'task')
    if (slug !== undefined) {
      await showTaskSession(input, slug, id)
      return 0
    }
    const session = await (await context.continuity()).getSession(SessionKey(id))
    if (isSet(options, 'json')) printJson(context.io, session)
    else {
      const { io } = context
      printLine(io, `${printableName(session.key)}  ${session.harness}  ${session.phase}`)
      if (session.continues !== undefined) printLine(io, `  Continues ${printableName(session.continues)}`)
      printLine(io, `  Started ${session.startedAt}, last event ${session.lastEventAt}`)
      printLine(io, `  ${count(session.promptCount, 'prompt')}, ${count(session.toolCount, 'tool call')}`)
      const where = `${printableName(session.place?.worktree ?? session.cwd ?? '')}${machineNames(context)(session)}`
      printLine(io, `  ${where}`)
    }
    return 0
  },
}
