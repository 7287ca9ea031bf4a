import type { Continuity } from '../../../app/continuity.ts'
import type { ContentEntry } from '../../../capture/session-content.ts'
import { renderSessionPage } from '../../../capture/session-page.ts'
import { truncate } from '../../../kernel/text/text.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { findLineages, type Session } from '../../../kernel/session.ts'
import { isSet, numberOption, textOption, wholeNumber, sessionKey } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput, CliContext } from '../../shared/command.ts'
import {
  getColors,
  oneLine,
  printable,
  printableName,
  printJson,
  printLine,
  printUnbroken,
  table,
  count,
  formatAge,
  SWITCHED_OFF,
} from '../../shared/output.ts'
import { formatLabels } from './session-labels.ts'
import { printTimeline } from '../tasks/task-io.ts'
import { openTasks } from '../tasks/task-ports.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { createMachineFormatter } from '../../shared/machine-name.ts'
import { systemClock } from '../../../platform/base/clock.ts'

const DEFAULT_LIMIT = 10

async function listTaskSessions(context: CliContext, slug: string, isJson: boolean): Promise<void> {
  const { sessions } = await (await openTasks(context)).show({ cwd: context.cwd, slug })
  if (isJson) return printJson(context.io, sessions)
  if (sessions.length === 0)
    return printLine(context.io, `No sessions yet. Start one with \`holdfast session start --task ${slug}\`.`)
  const { dim } = getColors(context.io)
  const now = systemClock.now()
  context.io.out(
    table(
      sessions.map((session) => [
        session.session_id,
        session.state,
        session.current_gate,
        dim(formatAge(session.last_activity, now)),
        count(session.checkpoint_count, 'checkpoint'),
        session.outcome ?? '-',
        oneLine(session.goal ?? '', 60),
      ]),
    ),
  )
}

export const sessionsListCommand: CliCommand = {
  configure(command) {
    command
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 500))
      .option('--live', 'only running sessions')
      .option('--all', 'include every project')
      .option('--archived', 'include archived sessions')
      .option('--team', "list sessions on other machines, yours and your team's")
      .option('--task <slug>', 'sessions of this governed task')
  },
  async run({ options, context }) {
    const slug = textOption(options, 'task')
    if (slug !== undefined) {
      await listTaskSessions(context, slug, isSet(options, 'json'))
      return 0
    }
    if (isSet(options, 'team'))
      return (await import('./team-work.ts')).printTeamSessions(context, isSet(options, 'json'))
    const continuity = await context.continuity()
    const sessions = await continuity.listSessions({
      limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
      ...(!isSet(options, 'all') && { cwd: context.cwd }),
      ...(isSet(options, 'archived') && { includeArchived: true }),
      ...(isSet(options, 'live') && { isLive: true }),
    })
    if (isSet(options, 'json')) {
      printJson(context.io, sessions)
    } else if (sessions.length === 0) {
      const isOn = context.config.continuity.enabled
      printLine(context.io, isOn ? 'No sessions recorded here yet. `holdfast init` connects a harness.' : SWITCHED_OFF)
    } else {
      const { dim } = getColors(context.io)
      const now = systemClock.now()
      const formatMachine = createMachineFormatter(context)
      context.io.out(
        table(
          sessions.map((session) => [
            printableName(session.key),
            session.harness,
            session.phase,
            dim(formatAge(session.lastEventAt, now)),
            count(session.promptCount, 'prompt'),
            printableName(session.place?.branch ?? ''),
            dim(`${printableName(session.place?.worktree ?? session.cwd ?? '')}${formatMachine(session)}`),
            [
              formatLabels(session),
              session.continues === undefined ? '' : dim(`continues ${printableName(session.continues)}`),
            ]
              .join(' ')
              .trim(),
          ]),
        ),
      )
    }
    return 0
  },
}

async function showTaskSession({ options, context }: CommandInput, slug: string, id: string): Promise<void> {
  const { io } = context
  const detail = await (await openTasks(context)).show({ cwd: context.cwd, slug })
  const session = detail.sessions.find(({ session_id }) => session_id === id)
  if (session === undefined)
    throw new HoldfastError('not-found', `Task ${slug} has no session ${id}.`, {
      hint: `Its sessions: ${
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
  if (session.parent_session !== null) printLine(io, `  Continues: ${session.parent_session}`)
  for (const child of session.child_sessions) printLine(io, `  Continued by: ${child}`)
  if (session.harness_session !== null) printLine(io, `  Harness session: ${printableName(session.harness_session)}`)
  if (session.context_tokens !== null) printLine(io, `  Context: ${count(session.context_tokens, 'token')}`)
  for (const { at, from, to, reason } of session.transitions)
    printLine(io, `  ${at}  ${from} → ${to}: ${oneLine(reason, 120)}`)
  for (const { checkpoint_id, type, gate, summary } of checkpoints)
    printLine(io, `  ${checkpoint_id}  ${gate} ${type}: ${oneLine(summary, 100)}`)
}

const CONTENT_ENTRIES = 40
const PAGE = 500
const MAX_SHOWN_CHARS = 600

async function readContent(continuity: Continuity, { key, harness }: Session): Promise<readonly ContentEntry[]> {
  const entries: ContentEntry[] = []
  let afterSeq = 0
  for (;;) {
    const events = await continuity.readSession({ sessionKey: key, harness, afterSeq, limit: PAGE })
    entries.push(...events)
    if (events.length < PAGE) return entries
    afterSeq = events.at(-1)?.seq ?? 0
  }
}

function printContent(io: CliContext['io'], entries: readonly ContentEntry[], total: number): void {
  const { dim } = getColors(io)
  printLine(io)
  if (entries.length < total) printLine(io, dim(`The last ${entries.length} of ${total} entries; --limit shows more.`))
  if (total === 0) printLine(io, dim('Its content was deleted by age, or it has none yet.'))
  for (const { at, kind, text, ok } of entries) {
    const mark = ok === false ? ' (failed)' : ''
    printLine(io, `${dim(at.slice(0, 19).replace('T', ' '))}  ${kind}${mark}`)
    for (const line of truncate(printable(text), MAX_SHOWN_CHARS).split('\n')) printLine(io, `    ${line}`)
  }
}

export const sessionsShowCommand: CliCommand = {
  configure(command) {
    command
      .argument('<id>', 'the session key, or a prefix of it', sessionKey)
      .option('--task <slug>', 'a session of this governed task')
      .option('--harness <id>', 'the harness, if two of them have a session with this key')
      .option('--html', 'print everything as one HTML file without script')
      .option(
        '--limit <n>',
        `print this many of its last entries (default: ${CONTENT_ENTRIES})`,
        wholeNumber(0, 10_000),
      )
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
    const continuity = await context.continuity()
    const harness = textOption(options, 'harness')
    const session = await continuity.getSession(SessionKey(id), harness)
    const all = await readContent(continuity, session)
    const entries = all.slice(all.length - Math.min(all.length, numberOption(options, 'limit') ?? CONTENT_ENTRIES))
    if (isSet(options, 'json')) printJson(context.io, { ...session, entries })
    else if (isSet(options, 'html')) context.io.out(renderSessionPage(session, all))
    else {
      const { io } = context
      printLine(io, `${printableName(session.key)}  ${session.harness}  ${session.phase}`)
      if (session.continues !== undefined) printLine(io, `  Continues ${printableName(session.continues)}`)
      printLine(io, `  Started ${session.startedAt}, last event ${session.lastEventAt}`)
      printLine(io, `  ${count(session.promptCount, 'prompt')}, ${count(session.toolCount, 'tool call')}`)
      const where = `${printableName(session.place?.worktree ?? session.cwd ?? '')}${createMachineFormatter(context)(session)}`
      printLine(io, `  ${where}`)
      const labels = formatLabels(session)
      if (labels !== '') printLine(io, `  ${labels}`)
      const { text: reopening } = await continuity.reopenCommand(session.key, session.harness)
      if (reopening !== undefined) printUnbroken(io, `  Open again: ${printableName(reopening)}`)
      printContent(io, entries, all.length)
    }
    return 0
  },
}

const TIMELINE_LIMIT = 200

/** Without a task: the recorded sessions of this project and their checkpoints. */
async function projectTimeline({ options, context }: CommandInput): Promise<void> {
  const continuity = await context.continuity()
  const limit = numberOption(options, 'limit') ?? TIMELINE_LIMIT
  const sessions = await continuity.listSessions({ cwd: context.cwd, limit })
  const { projectId } = await continuity.locate(context.cwd)
  const checkpoints = await continuity.listCheckpoints({ projectId, limit })
  const lineages = findLineages(sessions)
  const entries = [
    ...sessions.flatMap(({ id, key, harness, startedAt, endedAt, phase, continues }) => {
      const entry = { kind: 'session', subject: key, harness, lineage: lineages.get(id) ?? id }
      const text = continues === undefined ? `${harness} started` : `${harness} started, continues ${continues}`
      return [
        { at: startedAt, ...entry, text, ...(continues !== undefined && { continues }) },
        ...(endedAt === undefined ? [] : [{ at: endedAt, ...entry, text: phase }]),
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
  const { dim } = getColors(context.io)
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
  configure(command) {
    command
      .option('--task <slug>', 'timeline of this governed task')
      .option(
        '--limit <n>',
        `without --task: at most this many of each (default: ${TIMELINE_LIMIT})`,
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
    const entries = await (await openTasks(context)).timeline({ cwd: context.cwd, slug })
    if (isSet(options, 'json')) printJson(context.io, entries)
    else if (entries.length === 0) printLine(context.io, 'No entries yet.')
    else printTimeline(context.io, entries)
    return 0
  },
}
