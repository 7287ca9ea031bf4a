import { createHash } from 'node:crypto'
import type { SessionEvent, TranscriptItem } from '../../../kernel/event.ts'
import { CheckpointId, ProjectId } from '../../../kernel/id.ts'
import type { Files, Git, Places, Redactor } from '../../../kernel/ports/ports.ts'
import type { Place } from '../../../kernel/project.ts'
import { foldCheckpoints } from '../../../recovery/merge/merge-checkpoints.ts'
import { recheck, unchecked } from '../../../recovery/revalidate/revalidate.ts'
import { type Rendered, renderRecovery } from '../../../recovery/render.ts'
import { redactEvent, redactNote } from '../../../redaction/redact-event.ts'
import { type Session, advance } from '../../../kernel/session.ts'
import { composeCheckpoint } from '../../../checkpoint/compose-checkpoint.ts'
import { foldEvent, foldNote } from '../../../checkpoint/work/fold.ts'
import { emptyWork, type WorkState } from '../../../checkpoint/work/state.ts'
import type { TranscriptFile } from '../../../harness/transcript-file.ts'

export interface RecoverPorts {
  readonly files: Files
  readonly git: Git
  readonly places: Places
  readonly redactor: Redactor
}

export interface RecoverOptions {
  readonly budgetChars: number
  /** What the harness's own summary says, where it will stand in the same context. */
  readonly summary?: string
}

export interface TranscriptRecovery extends Rendered {
  /** Whether the worktree is on this disk, so that lines could be checked. */
  readonly isChecked: boolean
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function cleaned(items: readonly TranscriptItem[], redactor: Redactor): readonly TranscriptItem[] {
  return items.map((item) =>
    item.type === 'event'
      ? { type: 'event', event: redactEvent(item.event, redactor) }
      : { type: 'note', note: redactNote(item.note, redactor) },
  )
}

async function placeOf(
  { cwd, gitBranch }: TranscriptFile,
  ports: RecoverPorts,
): Promise<{ place: Place; isHere: boolean }> {
  const isHere = cwd !== undefined && (await ports.files.isDirectory(cwd))
  if (isHere) return { place: { ...(await ports.places.locate(cwd)), branch: gitBranch, head: undefined }, isHere }
  const worktree = cwd ?? ''
  return {
    place: { projectId: ProjectId(''), project: worktree, projectNormalized: worktree, worktree, branch: gitBranch },
    isHere,
  }
}

const NO_CADENCE = { promptInterval: Number.MAX_SAFE_INTEGER, timeIntervalMs: Number.MAX_SAFE_INTEGER }

function sessionOf(events: readonly SessionEvent[], place: Place): Session | undefined {
  let session: Session | undefined
  events.forEach((event, index) => {
    session = advance(session, event, { seq: index + 1, place, cadence: NO_CADENCE }).session
  })
  return session
}

/** A transcript as the daemon keeps it: the session and its work, ready to be told of. */
export interface FoldedTranscript {
  readonly session: Session
  readonly work: WorkState
  readonly place: Place
  readonly eventCount: number
  /** Whether the worktree is on this disk. */
  readonly isHere: boolean
}

/** Undefined when nothing happened in it. */
export async function foldTranscript(
  transcript: TranscriptFile,
  ports: RecoverPorts,
): Promise<FoldedTranscript | undefined> {
  const items = cleaned(transcript.items, ports.redactor)
  const { place, isHere } = await placeOf(transcript, ports)
  const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
  const session = sessionOf(events, place)
  if (session === undefined) return undefined
  const { worktree } = place
  const work = items.reduce(
    (state, item) => (item.type === 'event' ? foldEvent(state, item.event, { worktree }) : foldNote(state, item.note)),
    emptyWork(),
  )
  return { session, work, place, eventCount: events.length, isHere }
}

/** The checkpoint, re-check and block of a session that was folded before. */
export async function recoverFolded(
  { session, work, place, eventCount, isHere }: FoldedTranscript,
  { budgetChars, summary }: RecoverOptions,
  ports: RecoverPorts,
): Promise<TranscriptRecovery> {
  const checkpoint = composeCheckpoint({
    id: CheckpointId('transcript'),
    session,
    work,
    trigger: 'session_end',
    place,
    // The files are not fingerprinted: what they hold now says nothing about what they held then.
    fileHashes: new Map(),
    createdAt: session.lastEventAt,
    eventSeq: eventCount,
  })
  const view = foldCheckpoints([checkpoint])
  const checked = isHere ? await recheck(view, { ...ports, worktree: place.worktree }) : unchecked(view)
  const rendered = renderRecovery(checked, {
    budgetChars,
    sha256,
    redact: (text) => ports.redactor.redact(text),
    ...(summary === undefined ? {} : { summary }),
  })
  return { ...rendered, isChecked: checked.isChecked }
}

/** What the session after this transcript would be told: the same fold, checkpoint, re-check and block as the daemon's. */
export async function recoverTranscript(
  transcript: TranscriptFile,
  options: RecoverOptions,
  ports: RecoverPorts,
): Promise<TranscriptRecovery | undefined> {
  const folded = await foldTranscript(transcript, ports)
  return folded === undefined ? undefined : recoverFolded(folded, options, ports)
}
