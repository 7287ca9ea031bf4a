import type { AgentNote, CheckpointTrigger, FileWork, WorkSummary } from '../kernel/checkpoint.ts'
import type { NoteAuthor } from '../kernel/event.ts'
import type { GitState, Location } from '../kernel/location.ts'
import type { Session } from '../kernel/session.ts'
import type { NextAction } from './next-action.ts'
import { clip } from '../kernel/text/text.ts'
import { openTodos } from './work/plan.ts'
import type { WorkState } from './work/state.ts'

const MAX_DIGEST_CHARS = 8_000

/** Since the session's last checkpoint. */
export interface MemoryActivity {
  readonly queries: readonly string[]
  readonly remembers: readonly string[]
  /** Memories that were injected before prompts, most often first. */
  readonly accessed: readonly string[]
}

export interface DigestInput {
  readonly session: Session
  readonly trigger: CheckpointTrigger
  readonly place: Location
  readonly git?: GitState
  readonly work: WorkSummary
  readonly next: NextAction
  readonly activity: MemoryActivity
  readonly written?: AgentNote
  readonly createdAt: string
  readonly compaction?: WorkState['compaction']
}

function formatDuration(startedAt: string, endedAt: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 60_000))
  if (!Number.isFinite(minutes)) return 'unknown'
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `### ${title}`, ...lines.map((line) => `- ${line}`)]
}

function listText(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text]
}

function fileLine(file: FileWork): string {
  return `${file.path} (${file.action}${file.edits > 1 ? `, ${file.edits} edits` : ''})`
}

function gitLines(git: GitState | undefined, place: Location): readonly string[] {
  const branch = git?.branch ?? place.branch
  const head = git?.head ?? place.head
  const dirty = git?.dirty
  if (branch === undefined && head === undefined) return []
  const changes =
    dirty === undefined ? '' : `, ${dirty.staged} staged, ${dirty.unstaged} unstaged, ${dirty.untracked} untracked`
  return [`${branch ?? 'detached'} at ${head?.slice(0, 12) ?? 'no commit'}${changes}`]
}

const AUTHORS: Readonly<Record<NoteAuthor, string>> = {
  agent: 'Written by the agent',
  user: 'Written by the user',
  command: 'Written by digest.command',
}

/** Byte for byte, outside the limit of what Holdfast renders. */
function noteLines(written: AgentNote | undefined): readonly string[] {
  return written === undefined ? [] : ['', `### ${AUTHORS[written.author ?? 'agent']}`, written.summary]
}

/** In the words of S1, without bullets. */
function activityLines({ queries, remembers, accessed }: MemoryActivity): readonly string[] {
  const lines = [
    ...(queries.length === 0 ? [] : [`Queries: ${queries.slice(-10).join(', ')}`]),
    ...(remembers.length === 0 ? [] : [`Remembered: ${remembers.join('; ')}`]),
    ...(accessed.length === 0 ? [] : [`Top memories accessed: ${accessed.join(', ')}`]),
  ]
  return lines.length === 0 ? [] : ['', '### Memory Activity Since Last Checkpoint', ...lines]
}

/** The checkpoint as Markdown. Whole lines only, up to the limit; a written note is whole. */
export function renderDigest(input: DigestInput): string {
  const { session, work, next } = input
  const title = input.trigger === 'pre_compaction' ? 'Pre-Compaction Checkpoint' : 'Session Checkpoint'
  const touched = work.files.filter((file) => file.reads + file.edits > 0).toReversed()
  const head = [
    `## ${title}`,
    `Project: ${input.place.project}`,
    `Prompts: ${session.promptCount} | Duration: ${formatDuration(session.startedAt, input.createdAt)}`,
  ]
  const observed = [
    ...section('Compaction instructions', listText(input.compaction?.instructions)),
    ...section('Session context', listText(input.compaction?.sessionContext)),
    ...section(
      'Recent Prompts',
      work.asks.slice(-10).map((request) => clip(request.text, 200)),
    ),
    ...section('Next', [
      ...(next.nextAction === undefined ? [] : [next.nextAction]),
      ...(next.waitingFor === undefined ? [] : [`Waiting for ${next.waitingFor}`]),
    ]),
    ...section(
      'Open todos',
      openTodos(work.todos).map((todo) => `${todo.status === 'in_progress' ? '(in progress) ' : ''}${todo.text}`),
    ),
    ...section('Blockers', work.blockers),
    ...section(
      'Claims',
      (work.claims ?? []).map(
        (claim) =>
          `"${claim.text}" (${claim.contradictedBy === undefined ? claim.evidence : `contradicted: ${claim.contradictedBy}`})`,
      ),
    ),
    ...section(
      'Files changed',
      touched
        .filter((file) => file.edits > 0)
        .slice(0, 25)
        .map(fileLine),
    ),
    ...section(
      'Files read',
      touched
        .filter((file) => file.edits === 0)
        .slice(0, 15)
        .map((file) => file.path),
    ),
    ...section(
      'Tests',
      work.tests
        .slice(-10)
        .map((test) => `${test.status}: ${test.name}${test.name === test.command ? '' : ` (\`${test.command}\`)`}`),
    ),
    ...section(
      'Commands',
      work.commands
        .slice(-12)
        .toReversed()
        .map(
          (run) =>
            `\`${run.command}\` ${run.ok ? 'ok' : `failed${run.exitStatus === undefined ? '' : ` (${run.exitStatus})`}`}`,
        ),
    ),
    ...section(
      'Errors',
      work.errors
        .slice(-6)
        .map(
          (error) =>
            `${error.text}${error.count > 1 ? ` (${error.count} times)` : ''}${error.resolution === undefined ? '' : `: ${error.resolution}`}`,
        ),
    ),
    ...section(
      'Decisions',
      work.decisions.map(
        (decision) =>
          `${decision.decision}${decision.rationale === undefined ? '' : `, because ${decision.rationale}`} (${decision.evidence})`,
      ),
    ),
    ...section('Tried and failed', work.failedApproaches),
    ...section('Git', gitLines(input.git, input.place)),
    ...section(
      'Last words',
      work.statements.slice(-1).map((statement) => clip(statement.text, 600)),
    ),
    ...activityLines(input.activity),
  ]
  const note = noteLines(input.written).map((line) => `${line}\n`)
  let text = head.map((line) => `${line}\n`).join('')
  const start = text.length
  for (const line of observed) {
    if (text.length + line.length + 1 > MAX_DIGEST_CHARS) break
    text += `${line}\n`
  }
  return (text.slice(0, start) + note.join('') + text.slice(start)).trimEnd()
}
