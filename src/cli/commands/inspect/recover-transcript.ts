import type { SessionEvent, TranscriptItem } from '../../../kernel/event.ts'
import { CheckpointId, ProjectId } from '../../../kernel/id.ts'
import type { Files, Git, Locator, Redactor } from '../../../kernel/ports/ports.ts'
import type { Location } from '../../../kernel/location.ts'
import { mergeCheckpoints } from '../../../recovery/merge/merge-checkpoints.ts'
import { revalidate, toUncheckedView } from '../../../recovery/revalidate/revalidate.ts'
import { type ComposedRecovery, composeRecovery } from '../../../recovery/compose.ts'
import { redactEvent, redactNote } from '../../../redaction/redact-event.ts'
import { type Session, advance } from '../../../kernel/session.ts'
import { composeCheckpoint } from '../../../checkpoint/compose-checkpoint.ts'
import { foldEvent, foldNote } from '../../../checkpoint/work/fold.ts'
import { emptyWork, type WorkState } from '../../../checkpoint/work/state.ts'
import type { TranscriptFile } from '../../../harness/transcripts.ts'
import { sha256 } from '../../../platform/base/crypto.ts'

export interface RecoverPorts {
  readonly files: Files
  readonly git: Git
  readonly locator: Locator
  readonly redactor: Redactor
}

export interface RecoverOptions {
  readonly budgetChars: number
  /** The harness's own summary, if it will be in the same context. */
  readonly summary?: string
}

export interface TranscriptRecovery extends ComposedRecovery {
  /** The worktree is on this disk, so that lines could be checked. */
  readonly isChecked: boolean
}

function redactItems(items: readonly TranscriptItem[], redactor: Redactor): readonly TranscriptItem[] {
  return items.map((item) =>
    item.type === 'event'
      ? { type: 'event', event: redactEvent(item.event, redactor) }
      : { type: 'note', note: redactNote(item.note, redactor) },
  )
}

async function locateTranscript(
  { cwd, gitBranch }: TranscriptFile,
  ports: RecoverPorts,
): Promise<{ place: Location; isHere: boolean }> {
  const isHere = cwd !== undefined && (await ports.files.isDirectory(cwd))
  if (isHere) return { place: { ...(await ports.locator.locate(cwd)), branch: gitBranch, head: undefined }, isHere }
  const worktree = cwd ?? ''
  return {
    place: { projectId: ProjectId(''), project: worktree, projectNormalized: worktree, worktree, branch: gitBranch },
    isHere,
  }
}

const ON_BRANCH = /^(?:Switched to (?:a new )?branch '([^'\n]+)'|On branch (\S+))$/gm
const ELSEWHERE = /\bworktree\b|\bgit -C\b|(?:^|[;&|]\s*)cd\s/

/** The branch that git named last in the session's own folder: a transcript may hold only the one of its start. */
function findLastBranch(events: readonly SessionEvent[]): string | undefined {
  let branch: string | undefined
  for (const event of events) {
    if (event.kind !== 'tool-finished' || event.tool.kind !== 'shell' || event.tool.cwd !== undefined) continue
    const { command = '' } = event.tool
    if (!/\bgit\b/.test(command) || ELSEWHERE.test(command)) continue
    for (const [, switched, on] of (event.outcome.output ?? '').matchAll(ON_BRANCH)) branch = switched ?? on ?? branch
  }
  return branch
}

const NO_CADENCE = { promptInterval: Number.MAX_SAFE_INTEGER, timeIntervalMs: Number.MAX_SAFE_INTEGER }

function foldSession(events: readonly SessionEvent[], place: Location): Session | undefined {
  let session: Session | undefined
  events.forEach((event, index) => {
    session = advance(session, event, { seq: index + 1, location: place, cadence: NO_CADENCE }).session
  })
  return session
}

/** A transcript folded like the daemon folds events: the session and its work. */
export interface FoldedTranscript {
  readonly session: Session
  readonly work: WorkState
  readonly place: Location
  readonly eventCount: number
  /** The worktree is on this disk. */
  readonly isHere: boolean
}

/** Undefined when the transcript has no events. */
export async function foldTranscript(
  transcript: TranscriptFile,
  ports: RecoverPorts,
): Promise<FoldedTranscript | undefined> {
  const items = redactItems(transcript.items, ports.redactor)
  const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
  const located = await locateTranscript(transcript, ports)
  const { isHere } = located
  const branch = findLastBranch(events)
  const place = branch === undefined ? located.place : { ...located.place, branch }
  const session = foldSession(events, place)
  if (session === undefined) return undefined
  const { worktree } = place
  const work = items.reduce(
    (state, item) => (item.type === 'event' ? foldEvent(state, item.event, { worktree }) : foldNote(state, item.note)),
    emptyWork(),
  )
  return { session, work, place, eventCount: events.length, isHere }
}

/** Composes, rechecks and renders the recovery of a folded session. */
export async function recoverFolded(
  { session, work, place, eventCount, isHere }: FoldedTranscript,
  { budgetChars, summary }: RecoverOptions,
  ports: RecoverPorts,
): Promise<TranscriptRecovery> {
  const checkpoint = composeCheckpoint({
    id: CheckpointId('transcript'),
    session,
    work,
    trigger: session.endedAt !== undefined ? 'session_end' : 'interrupted',
    place,
    // No file hashes: the current content says nothing about the content then.
    fileHashes: new Map(),
    createdAt: session.lastEventAt,
    eventSeq: eventCount,
  })
  const view = mergeCheckpoints([checkpoint])
  const checked = isHere ? await revalidate(view, { ...ports, worktree: place.worktree }) : toUncheckedView(view)
  const rendered = composeRecovery(checked, {
    budgetChars,
    sha256,
    redact: (text) => ports.redactor.redact(text),
    ...(summary === undefined ? {} : { summary }),
  })
  return { ...rendered, isChecked: checked.isChecked }
}

/** The recovery text for the session after this transcript, by the same steps as in the daemon. */
export async function recoverTranscript(
  transcript: TranscriptFile,
  options: RecoverOptions,
  ports: RecoverPorts,
): Promise<TranscriptRecovery | undefined> {
  const folded = await foldTranscript(transcript, ports)
  return folded === undefined ? undefined : recoverFolded(folded, options, ports)
}
