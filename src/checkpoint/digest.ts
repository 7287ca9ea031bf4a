import type { CheckpointTrigger, FileWork, WorkSummary } from '../kernel/checkpoint.ts'
import type { GitState, Location } from '../kernel/location.ts'
import type { Session } from '../kernel/session.ts'
import type { NextAction } from './next-action.ts'
import { clip } from '../kernel/text/text.ts'
import { openTodos } from './work/plan.ts'

const MAX_DIGEST_CHARS = 8_000

export interface DigestInput {
  readonly session: Session
  readonly trigger: CheckpointTrigger
  readonly place: Location
  readonly git?: GitState
  readonly work: WorkSummary
  readonly outlook: NextAction
  readonly recentQueries: readonly string[]
  readonly recentRemembers: readonly string[]
  readonly written?: string
  readonly createdAt: string
}

function formatDuration(startedAt: string, endedAt: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 60_000))
  if (!Number.isFinite(minutes)) return 'unknown'
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `### ${title}`, ...lines.map((line) => `- ${line}`)]
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

/** The checkpoint as Markdown. Whole lines only, up to the limit. */
export function renderDigest(input: DigestInput): string {
  const { session, work, outlook } = input
  const title = input.trigger === 'pre_compaction' ? 'Pre-Compaction Checkpoint' : 'Session Checkpoint'
  const touched = work.files.filter((file) => file.reads + file.edits > 0).toReversed()
  const lines = [
    `## ${title}`,
    `Project: ${input.place.project}`,
    `Prompts: ${session.promptCount} | Duration: ${formatDuration(session.startedAt, input.createdAt)}`,
    ...section('Written by the agent', input.written === undefined ? [] : [input.written]),
    ...section(
      'Recent Prompts',
      work.asks.slice(-10).map((request) => clip(request.text, 200)),
    ),
    ...section('Next', [
      ...(outlook.nextAction === undefined ? [] : [outlook.nextAction]),
      ...(outlook.waitingFor === undefined ? [] : [`Waiting for ${outlook.waitingFor}`]),
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
    ...section('Memory Activity', [
      ...(input.recentQueries.length === 0 ? [] : [`Queries: ${input.recentQueries.slice(-10).join(', ')}`]),
      ...(input.recentRemembers.length === 0 ? [] : [`Remembered: ${input.recentRemembers.join('; ')}`]),
    ]),
  ]
  let text = ''
  for (const line of lines) {
    if (text.length + line.length + 1 > MAX_DIGEST_CHARS) break
    text += `${line}\n`
  }
  return text.trimEnd()
}
