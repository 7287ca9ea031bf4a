import type { Announce, ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { SessionEvent, TranscriptItem } from '../../kernel/event.ts'
import { CheckpointId, datedId, EventId, sessionIdOf, type SessionId, type SessionKey } from '../../kernel/id.ts'
import type { AppendEntry, Redactor } from '../../kernel/ports/ports.ts'
import type { Place } from '../../kernel/project.ts'
import { redactEvent, redactNote } from '../../redaction/redact-event.ts'
import type { Session } from '../../kernel/session.ts'
import { composeCheckpoint } from '../../checkpoint/compose-checkpoint.ts'
import { foldEvent, foldNote } from '../../checkpoint/work/fold.ts'
import { emptyWork, parseWork, type WorkState } from '../../checkpoint/work/state.ts'

/** A stretch of a transcript whose session is over, in our words. */
export interface HistoryBatch {
  readonly harness: string
  readonly sessionKey: SessionKey
  readonly cwd?: string
  readonly gitBranch?: string
  /** How far the transcript was read once these items are kept: larger for every batch, the same in every run. */
  readonly upTo: number
  /** Empty to ask how things stand. */
  readonly items: readonly TranscriptItem[]
  /** Nothing follows: the session's one checkpoint is due. */
  readonly isLast: boolean
}

export interface HistoryAnswer {
  /**
   * absent: nothing of it is kept. open: a part is. over: all that was sent, with its checkpoint.
   * known: hooks told of it, so its transcript is theirs to read. off: checkpoints are switched off in its project.
   */
  readonly standing: 'absent' | 'open' | 'over' | 'known' | 'off'
  readonly upTo: number
  /** Events that were new. */
  readonly kept: number
}

/** As the log has it: over from the first event on, so that a run that was killed leaves no session that seems alive. */
function ended(batch: HistoryBatch, at: string, moment: string): SessionEvent {
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

function eventsOf(batch: HistoryBatch, now: string): readonly SessionEvent[] {
  return batch.items.flatMap((item) => {
    if (item.type === 'note') return []
    const { process: _process, ...event } = item.event
    if (event.harness !== batch.harness || event.sessionKey !== batch.sessionKey)
      throw new HoldfastError('invalid-input', `Event ${event.id} belongs to another session.`)
    // A clock that was ahead must not make the past look like the present.
    return [{ ...event, door: 'transcript', at: event.at > now ? now : event.at }]
  })
}

interface Folding {
  readonly items: readonly TranscriptItem[]
  /** The events of these items as they were kept. */
  readonly kept: readonly { readonly event: SessionEvent; readonly seq: number }[]
  /** Newest that was folded in before. */
  readonly eventSeq: number
  readonly redactor: Redactor
  readonly worktree: string | undefined
}

function fold(before: WorkState, { items, kept, eventSeq, redactor, worktree }: Folding): WorkState {
  const events = kept.values()
  return items.reduce((work, item) => {
    if (item.type === 'note') return foldNote(work, redactNote(item.note, redactor))
    const next = events.next().value
    return next === undefined || next.seq <= eventSeq ? work : foldEvent(work, next.event, { worktree })
  }, before)
}

/** Sessions from before Holdfast: kept with their own times, over from the beginning, and composed once. */
export function createHistoryImport(
  deps: ContinuityDeps,
  announce: Announce,
): {
  importHistory(batch: HistoryBatch): Promise<HistoryAnswer>
} {
  let last: Promise<unknown> = Promise.resolve()

  async function placeOf({ cwd, gitBranch }: HistoryBatch): Promise<Place | undefined> {
    if (cwd === undefined) return undefined
    // What is checked out now says nothing about what was then.
    return { ...(await deps.places.locate(cwd)), branch: gitBranch, head: undefined }
  }

  async function keepItems(batch: HistoryBatch, place: Place | undefined, known: Session | undefined) {
    const { continuity: cadence } = await deps.configFor(place?.worktree)
    const redactor = await deps.redactors.forWorktree(place?.worktree, batch.cwd)
    const events = eventsOf(batch, deps.clock.now()).map((event) => redactEvent(event, redactor))
    const [first] = events
    if (first === undefined && known === undefined) return undefined
    const opening = known === undefined && first !== undefined ? [ended(batch, first.at, 'begin')] : []
    const entries: readonly AppendEntry[] = [...opening, ...events].map((event) => ({ event, place }))
    const appended = (await deps.store.append(entries, cadence)).slice(opening.length)
    const id = sessionIdOf(batch.harness, batch.sessionKey)
    const snapshot = await deps.store.findWork(id)
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
    })
    const newest = Math.max(eventSeq, ...appended.map(({ seq }) => seq))
    await deps.store.saveWork({
      sessionId: id,
      eventSeq: newest,
      transcriptOffset: batch.upTo,
      state: JSON.stringify(work),
    })
    return appended.filter(({ isNew }) => isNew).length
  }

  /** The files are not fingerprinted and git is not asked: what they say now is not what they said then. */
  async function finish(batch: HistoryBatch, id: SessionId): Promise<void> {
    const session = await deps.store.findSession(id)
    if (session === undefined || !session.hasNewWork) return
    const { continuity: cadence } = await deps.configFor(session.place?.worktree)
    const { place, lastEventAt: createdAt } = session
    const end = { event: ended(batch, createdAt, `end/${batch.upTo}`), place }
    const [over] = await deps.store.append([end], cadence)
    const snapshot = await deps.store.findWork(id)
    if (over === undefined || snapshot === undefined || place === undefined) return
    const checkpoint = composeCheckpoint({
      id: CheckpointId(datedId('ckpt', createdAt, deps.entropy.bytes(10))),
      session: over.session,
      work: parseWork(snapshot.state),
      trigger: 'session_end',
      place,
      fileHashes: new Map(),
      createdAt,
      eventSeq: over.seq,
    })
    await deps.store.saveWork({ ...snapshot, eventSeq: over.seq })
    await deps.store.keepCheckpoint(checkpoint)
    announce({ seq: over.seq, kind: 'checkpoint', sessionId: id, detail: checkpoint.id, trigger: 'session_end' })
  }

  async function take(batch: HistoryBatch): Promise<HistoryAnswer> {
    const id = sessionIdOf(batch.harness, batch.sessionKey)
    const known = await deps.store.findSession(id)
    if (known !== undefined && known.endReason !== 'imported') return { standing: 'known', upTo: 0, kept: 0 }
    const place = await placeOf(batch)
    const { continuity } = await deps.configFor(place?.worktree)
    if (!continuity.enabled) return { standing: 'off', upTo: 0, kept: 0 }
    const before = (await deps.store.findWork(id))?.transcriptOffset ?? 0
    const isNews = batch.items.length > 0 && batch.upTo > before
    const kept = isNews ? await keepItems(batch, place, known) : undefined
    if (batch.isLast) await finish(batch, id)
    const session = await deps.store.findSession(id)
    const upTo = kept === undefined ? before : batch.upTo
    if (session === undefined) return { standing: 'absent', upTo: 0, kept: 0 }
    const isOver = !session.hasNewWork || (batch.isLast && session.place === undefined)
    return { standing: isOver ? 'over' : 'open', upTo, kept: kept ?? 0 }
  }

  return {
    // One at a time: two runs of the command would fold the same lines twice, and hooks come first anyway.
    importHistory(batch) {
      const next = last.then(
        () => take(batch),
        () => take(batch),
      )
      last = next
      return next
    },
  }
}
