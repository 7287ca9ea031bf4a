import type { Checkpoint, CheckpointTrigger } from '../kernel/checkpoint.ts'
import type { CheckpointId } from '../kernel/id.ts'
import type { GitState, Location } from '../kernel/location.ts'
import type { Session } from '../kernel/session.ts'
import { renderDigest } from './digest.ts'
import { findNextAction } from './next-action.ts'
import { toRelativeText, isScratch } from '../kernel/paths/paths.ts'
import type { WorkState } from './work/state.ts'
import { toSummary } from './summary.ts'
import { clip, leadingSentences, isSubstantiveRequest } from '../kernel/text/text.ts'

const STOP: ReadonlySet<string> = new Set(
  'the and for you that this with from have not are was but can all will your what when how has its let into our out now use via per please should would could there here then than them they make just also like some any one get got did does done want need'.split(
    ' ',
  ),
)
const MAX_TERMS = 12

/** Search terms of a prompt: distinct, lower case, at most twelve. */
function searchTerms(prompt: string): string {
  const terms = new Set<string>()
  for (const match of prompt
    .slice(0, 4_000)
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_]{3,40}/gu)) {
    if (!STOP.has(match[0])) terms.add(match[0])
    if (terms.size >= MAX_TERMS) break
  }
  return [...terms].join(' ')
}

export interface CheckpointInput {
  readonly id: CheckpointId
  readonly session: Session
  readonly work: WorkState
  readonly trigger: CheckpointTrigger
  readonly place: Location
  readonly git?: GitState
  /** By worktree-relative path, as `pathsToHash` named them. */
  readonly fileHashes: ReadonlyMap<string, string>
  readonly createdAt: string
  /** Set for a late checkpoint, which has no `git`. */
  readonly workEndedAt?: string
  /** The newest event folded into `work`. */
  readonly eventSeq: number
  /** The session's last checkpoint. */
  readonly parent?: Pick<Checkpoint, 'id' | 'promptCount' | 'recentRemembers'>
  /** Ids of the memories that were injected before prompts since then, most often first. */
  readonly accessedMemories?: readonly string[]
  /** Overrides the session's own. */
  readonly recentRemembers?: readonly string[]
}

const MAX_QUERIES = 20
const MAX_REMEMBERS = 10
const MAX_SUMMARY_CHARS = 200

/** The files to hash: inside the worktree, changed ones first, newest first. */
export function pathsToHash(work: WorkState, limit: number): readonly string[] {
  return work.files
    .filter((file) => file.reads + file.edits > 0 && file.action !== 'deleted' && !isScratch(file.path))
    .toSorted((a, b) => b.lastEditOrder - a.lastEditOrder || b.lastOrder - a.lastOrder)
    .slice(0, limit)
    .map((file) => file.path)
}

function summarize(work: WorkState): string {
  const request = work.asks.findLast(({ text }) => isSubstantiveRequest(text)) ?? work.firstAsk ?? work.asks.at(-1)
  // The agent's digest is current until the next request.
  const isDigestCurrent = work.digest !== undefined && work.digest.order >= (work.asks.at(-1)?.order ?? 0)
  const said = (isDigestCurrent ? work.digest?.summary : undefined) ?? request?.text ?? work.statements.at(-1)?.text
  if (said !== undefined) return leadingSentences(said, MAX_SUMMARY_CHARS)
  const edited = work.files.filter((file) => file.edits > 0).length
  return edited === 0 ? 'Nothing was asked yet.' : `Work on ${edited} ${edited === 1 ? 'file' : 'files'}.`
}

const WAS_RUNNING = 'This was running when the session stopped: '

function renderResumeInstructions({ running }: WorkState, { worktree }: Location): string | undefined {
  if (running === undefined) return undefined
  return clip(`${WAS_RUNNING}${toRelativeText(worktree, running.what)}`, 240)
}

export function readRunningCommand(resumeInstructions: string): string {
  return resumeInstructions.replace(WAS_RUNNING, '')
}

/** Pure: the same input gives the same checkpoint. */
export function composeCheckpoint(input: CheckpointInput): Checkpoint {
  const { session, work, place, git, trigger, createdAt } = input
  const summary = toSummary(work, input.fileHashes)
  const next = findNextAction(work)
  const recentQueries = work.asks
    .map((request) => searchTerms(request.text))
    .filter((terms) => terms !== '')
    .slice(-MAX_QUERIES)
  const recentRemembers = (input.recentRemembers ?? work.remembers).slice(-MAX_REMEMBERS)
  const newPrompts = Math.max(0, session.promptCount - (input.parent?.promptCount ?? 0))
  const digest = renderDigest({
    session,
    trigger,
    place,
    git,
    work: summary,
    next,
    activity: {
      queries: newPrompts === 0 ? [] : recentQueries.slice(-newPrompts),
      remembers: recentRemembers.filter((text) => input.parent?.recentRemembers.includes(text) !== true),
      accessed: input.accessedMemories ?? [],
    },
    written: work.written,
    createdAt,
    compaction: work.compaction,
  })
  return {
    id: input.id,
    sessionId: session.id,
    sessionKey: session.key,
    harness: session.harness,
    place: git === undefined ? place : { ...place, branch: git.branch, head: git.head },
    dirty: git?.dirty,
    task: work.task,
    trigger,
    // Only the explicit checkpoint has the name: a later one of the session is a different state.
    name: trigger === 'explicit' ? work.digest?.name : undefined,
    summary: summarize(work),
    digest,
    promptCount: session.promptCount,
    recentQueries,
    recentRemembers,
    work: summary,
    ...(work.written === undefined ? {} : { written: work.written }),
    ...next,
    resumeInstructions: renderResumeInstructions(work, place),
    canResume: work.order > 0,
    contextTokens: work.contextTokens ?? session.contextTokens,
    parentId: input.parent?.id,
    eventSeq: input.eventSeq,
    createdAt,
    ...(input.workEndedAt === undefined ? {} : { workEndedAt: input.workEndedAt }),
  }
}
