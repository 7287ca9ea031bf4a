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
  const { place, isHere } = await locateTranscript(transcript, ports)
  const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
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
