import type { Announce, ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { SessionEvent, TranscriptItem } from '../../kernel/event.ts'
import { CheckpointId, datedId, EventId, toSessionId, type SessionId, type SessionKey } from '../../kernel/id.ts'
import type { AppendEntry, Redactor } from '../../kernel/ports/ports.ts'
import type { Location } from '../../kernel/location.ts'
import { limitEvent, limitNotes } from '../../redaction/capture-level.ts'
import type { CaptureLevel } from '../../kernel/config.ts'
import { redactEvent, redactNote } from '../../redaction/redact-event.ts'
import type { Session } from '../../kernel/session.ts'
import { composeCheckpoint } from '../../checkpoint/compose-checkpoint.ts'
import { foldEvent, foldNote } from '../../checkpoint/work/fold.ts'
import { emptyWork, parseWork, type WorkState } from '../../checkpoint/work/state.ts'
import { createTaskQueue } from '../../kernel/structures/task-queue.ts'

/** A part of the transcript of an ended session, as events and notes. */
export interface HistoryBatch {
  readonly harness: string
  readonly sessionKey: SessionKey
  readonly cwd?: string
  readonly gitBranch?: string
  /** Position in the transcript after these items: larger for every batch, the same in every run. */
  readonly upTo: number
  /** Empty to ask for the state. */
  readonly items: readonly TranscriptItem[]
  /** Nothing follows: the session's one checkpoint is due. */
  readonly isLast: boolean
}

export interface HistoryAnswer {
  /**
   * absent: nothing of it is stored. open: a part is. over: everything that was sent, with its checkpoint. known: hooks
   * reported it, so its transcript is read for them. off: checkpoints are disabled in its project.
   */
  readonly standing: 'absent' | 'open' | 'over' | 'known' | 'off'
  readonly upTo: number
  /** New events. */
  readonly kept: number
}

/** Imported sessions are ended from the first event on, so that a killed run leaves no session that seems alive. */
function createEndEvent(batch: HistoryBatch, at: string, moment: string): SessionEvent {
  const { harness, sessionKey, cwd } = batch
  return {
    kind: 'session-ended',
    id: EventId(`import/${harness}/${sessionKey}/${moment}`),
    harness,
    sessionKey,
    at,
    door: 'cli',
    reason: 'imported',
    ...(cwd === undefined ? {} : { cwd }),
  }
}

function listEvents(batch: HistoryBatch, now: string): readonly SessionEvent[] {
  return batch.items.flatMap((item) => {
    if (item.type === 'note') return []
    const { process: _process, ...event } = item.event
    if (event.harness !== batch.harness || event.sessionKey !== batch.sessionKey)
      throw new HoldfastError('invalid-input', `Event ${event.id} belongs to another session.`)
    // A clock that was ahead must not make the past look like the present.
    return [{ ...event, door: 'transcript', at: event.at > now ? now : event.at }]
  })
}

interface FoldInput {
  readonly items: readonly TranscriptItem[]
  /** The stored events of these items. */
  readonly kept: readonly { readonly event: SessionEvent; readonly seq: number }[]
  /** The newest event that was folded before. */
  readonly eventSeq: number
  readonly redactor: Redactor
  readonly worktree: string | undefined
  readonly level: CaptureLevel
}

function fold(before: WorkState, { items, kept, eventSeq, redactor, worktree, level }: FoldInput): WorkState {
  const events = kept.values()
  return items.reduce((work, item) => {
    if (item.type === 'note') return limitNotes([redactNote(item.note, redactor)], level).reduce(foldNote, work)
    const next = events.next().value
    return next === undefined || next.seq <= eventSeq ? work : foldEvent(work, next.event, { worktree })
  }, before)
}

/** Imports sessions from before Holdfast: with their own times, ended from the beginning, and with one checkpoint. */
export function createHistoryImport(
  ports: ContinuityPorts,
  announce: Announce,
): {
  importHistory(batch: HistoryBatch): Promise<HistoryAnswer>
} {
  const inTurn = createTaskQueue()

  async function findLocation({ cwd, gitBranch }: HistoryBatch): Promise<Location | undefined> {
    if (cwd === undefined) return undefined
    // The branch and commit of now say nothing about then.
    return { ...(await ports.locator.locate(cwd)), branch: gitBranch, head: undefined }
  }

  async function storeItems(batch: HistoryBatch, place: Location | undefined, known: Session | undefined) {
    const { continuity: cadence } = await ports.configFor(place?.worktree)
    const redactor = await ports.redactors.forWorktree(place?.worktree, batch.cwd)
    const events = listEvents(batch, ports.clock.now()).map((event) =>
      limitEvent(redactEvent(event, redactor), cadence.capture),
    )
    const [first] = events
    if (first === undefined && known === undefined) return undefined
    const opening = known === undefined && first !== undefined ? [createEndEvent(batch, first.at, 'begin')] : []
    const entries: readonly AppendEntry[] = [...opening, ...events].map((event) => ({ event, location: place }))
    const appended = (await ports.store.append(entries, cadence)).slice(opening.length)
    const id = toSessionId(batch.harness, batch.sessionKey)
    const snapshot = await ports.store.findWork(id)
    const eventSeq = snapshot?.eventSeq ?? 0
    const work = fold(snapshot === undefined ? emptyWork() : parseWork(snapshot.state), {
      items: batch.items,
      kept: events.flatMap((event, index) => {
        const seq = appended[index]?.seq
        return seq === undefined ? [] : [{ event, seq }]
      }),
      eventSeq,
      redactor,
      worktree: place?.worktree,
      level: cadence.capture,
    })
    const newest = Math.max(eventSeq, ...appended.map(({ seq }) => seq))
    await ports.store.saveWork({
      sessionId: id,
      eventSeq: newest,
      transcriptOffset: batch.upTo,
      state: JSON.stringify(work),
    })
    return appended.filter(({ isNew }) => isNew).length
  }

  /** Files are not fingerprinted and git is not asked: their current state is not that of the session. */
  async function finish(batch: HistoryBatch, id: SessionId): Promise<void> {
    const session = await ports.store.findSession(id)
    if (session === undefined || !session.hasNewWork) return
    const { continuity: cadence } = await ports.configFor(session.place?.worktree)
    const { place, lastEventAt: createdAt } = session
    const end = { event: createEndEvent(batch, createdAt, `end/${batch.upTo}`), location: place }
    const [over] = await ports.store.append([end], cadence)
    const snapshot = await ports.store.findWork(id)
    if (over === undefined || snapshot === undefined || place === undefined) return
    const checkpoint = composeCheckpoint({
      id: CheckpointId(datedId('ckpt', createdAt, ports.entropy.bytes(10))),
      session: over.session,
      work: parseWork(snapshot.state),
      trigger: 'session_end',
      place,
      fileHashes: new Map(),
      createdAt,
      eventSeq: over.seq,
    })
    await ports.store.saveWork({ ...snapshot, eventSeq: over.seq })
    await ports.store.saveCheckpoint(checkpoint)
    announce({ seq: over.seq, kind: 'checkpoint', sessionId: id, detail: checkpoint.id, trigger: 'session_end' })
  }

  async function importBatch(batch: HistoryBatch): Promise<HistoryAnswer> {
    const id = toSessionId(batch.harness, batch.sessionKey)
    const known = await ports.store.findSession(id)
    if (known !== undefined && known.endReason !== 'imported') return { standing: 'known', upTo: 0, kept: 0 }
    const place = await findLocation(batch)
    const { continuity } = await ports.configFor(place?.worktree)
    if (!continuity.enabled) return { standing: 'off', upTo: 0, kept: 0 }
    const before = (await ports.store.findWork(id))?.transcriptOffset ?? 0
    const isNews = batch.items.length > 0 && batch.upTo > before
    const kept = isNews ? await storeItems(batch, place, known) : undefined
    if (batch.isLast) await finish(batch, id)
    const session = await ports.store.findSession(id)
    const upTo = kept === undefined ? before : batch.upTo
    if (session === undefined) return { standing: 'absent', upTo: 0, kept: 0 }
    const isOver = !session.hasNewWork || (batch.isLast && session.place === undefined)
    return { standing: isOver ? 'over' : 'open', upTo, kept: kept ?? 0 }
  }

  return {
    // One at a time: two runs of the command would fold the same lines twice.
    importHistory(batch) {
      return inTurn(() => importBatch(batch))
    },
  }
}
