import { SessionKey } from '../../../kernel/id.ts'
import { lineagesOf } from '../../../kernel/lineage.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { colorsOf, oneLine, printableName, printJson, printLine, table } from '../../shared/output.ts'
import { printTimeline } from '../tasks/task-output.ts'
import { tasksOf } from '../tasks/task-ports.ts'

const DEFAULT_LIMIT = 200

/** Without a task: the sessions of this project and their checkpoints, as the store has them. */
async function projectTimeline({ options, context }: CommandInput): Promise<void> {
  const continuity = await context.continuity()
  const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
  const sessions = await continuity.listSessions({ cwd: context.cwd, limit })
  const { projectId } = await continuity.locate(context.cwd)
  const checkpoints = await continuity.listCheckpoints({ projectId, limit })
  const lineages = lineagesOf(sessions)
  const entries = [
    ...sessions.flatMap(({ id, key, harness, startedAt, endedAt, phase, continues }) => {
      const told = { kind: 'session', subject: key, harness, lineage: lineages.get(id) ?? id }
      const text = continues === undefined ? `${harness} started` : `${harness} started, continues ${continues}`
      return [
        { at: startedAt, ...told, text, ...(continues !== undefined && { continues }) },
        ...(endedAt === undefined ? [] : [{ at: endedAt, ...told, text: phase }]),
      ]
    }),
    ...checkpoints.map(({ checkpoint }) => ({
      at: checkpoint.createdAt,
      kind: 'checkpoint',
      subject: checkpoint.sessionKey,
      harness: checkpoint.harness,
      lineage: lineages.get(checkpoint.sessionId) ?? checkpoint.sessionId,
      text: `${checkpoint.trigger}: ${checkpoint.name ?? checkpoint.summary}`,
    })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  if (isSet(options, 'json')) return printJson(context.io, entries)
  const { dim } = colorsOf(context.io)
  context.io.out(
    table(
      entries.map(({ at, kind, subject, text }) => [
        dim(at),
        kind,
        printableName(SessionKey(subject)),
        oneLine(text, 110),
      ]),
    ),
  )
}

export const sessionsTimelineCommand: CliCommand = {
  name: 'sessions timeline',
  summary: 'what happened when: sessions, checkpoints, gates and incidents',
  configure(command) {
    command
      .option('--task <slug>', 'of this governed task')
      .option(
        '--limit <n>',
        `without a task, at most this many of each (default: ${DEFAULT_LIMIT})`,
        wholeNumber(1, 500),
      )
  },
  async run(input) {
    const { options, context } = input
    const slug = textOption(options, 'task')
    if (slug === undefined) {
      await projectTimeline(input)
      return 0
    }
    const entries = await (await tasksOf(context)).timeline({ cwd: context.cwd, slug })
    if (isSet(options, 'json')) printJson(context.io, entries)
    else if (entries.length === 0) printLine(context.io, 'Nothing has happened yet.')
    else printTimeline(context.io, entries)
    return 0
  },
}
