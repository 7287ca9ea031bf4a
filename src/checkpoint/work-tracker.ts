import { type SessionEvent, type SubagentRef, type TranscriptNote, getSessionId } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import { limitNotes } from '../redaction/capture-level.ts'
import { redactNote } from '../redaction/redact-event.ts'
import type { Session } from '../kernel/session.ts'
import { foldEvent, foldNote } from './work/fold.ts'
import { type WorkState, emptyWork, parseWork } from './work/state.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { RecordEvents } from '../capture/record-events.ts'
import { toCanonicalPaths } from '../capture/canonical-paths.ts'
import { KeyedTaskQueue } from '../kernel/structures/task-queue.ts'

const EVENT_PAGE = 500
/** A transcript grows little between two reads; a longer backlog is finished at the next read. */
const MAX_CHUNKS_PER_LOOK = 8

export interface TrackedWork {
  readonly work: WorkState
  /** The newest event folded in. */
  readonly eventSeq: number
}

export interface WorkTracker {
  /** The session's work up to now: the stored snapshot, then every event and transcript line since. */
  catchUp(session: Session): Promise<TrackedWork>
  /** Stores what the event's transcript says up to now. A no-op for an unknown session. */
  readonly readFor: (event: SessionEvent) => Promise<void>
}

/** Read from the transcript only now, but it happened before the session moved to its present project. */
function isFromFormerProject(event: SessionEvent, since: Session['projectSince']): boolean {
  return since !== undefined && event.door === 'transcript' && event.at < since.at
}

/**
 * Nothing is folded on the hot path and nothing is only in memory: the work is folded when it is needed,
 * from what is durable, so a killed daemon knows as much as a running one.
 */
export function createWorkTracker(ports: ContinuityPorts, recordEvents: RecordEvents): WorkTracker {
  const queue = new KeyedTaskQueue<SessionId>()

  async function readTranscript(session: Session, offset: number) {
    const notes: TranscriptNote[] = []
    let nextOffset = offset
    let harnessVersion: string | undefined
    if (session.transcriptPath === undefined) return { notes, nextOffset, harnessVersion }
    const source = {
      harness: session.harness,
      path: session.transcriptPath,
      sessionKey: session.key,
      cwd: session.cwd,
    }
    const redactor = await ports.redactors.forWorktree(session.place?.worktree, session.cwd)
    for (let chunks = 0; chunks < MAX_CHUNKS_PER_LOOK; chunks += 1) {
      const chunk = await ports.transcripts.readFrom(source, nextOffset)
      const events: SessionEvent[] = []
      for (const item of chunk.items) {
        if (item.type === 'event') events.push(item.event)
        else notes.push(redactNote(item.note, redactor))
      }
      await recordEvents(events, 'transcript')
      harnessVersion = chunk.harnessVersion ?? harnessVersion
      if (chunk.nextOffset === nextOffset) break
      nextOffset = chunk.nextOffset
    }
    const { continuity } = await ports.configFor(session.place?.worktree)
    return { notes: limitNotes(notes, continuity.capture), nextOffset, harnessVersion }
  }

  async function foldEventsSince({ id: sessionId, place, projectSince }: Session, state: WorkState, afterSeq: number) {
    const worktree = place?.worktree
    let work = state
    let eventSeq = afterSeq
    for (;;) {
      const page = await ports.store.listEvents({ sessionId, afterSeq: eventSeq, limit: EVENT_PAGE })
      for (const stored of page) {
        eventSeq = stored.seq
        if (isFromFormerProject(stored.event, projectSince)) continue
        work = foldEvent(work, toCanonicalPaths(stored.event, place), { worktree })
      }
      if (page.length < EVENT_PAGE) return { work, eventSeq }
    }
  }

  async function look(session: Session): Promise<TrackedWork> {
    const snapshot = await ports.store.findWork(session.id)
    const transcript = await readTranscript(session, snapshot?.transcriptOffset ?? 0)
    const { projectSince } = session
    const isFromFormer = projectSince !== undefined && (snapshot?.eventSeq ?? 0) < projectSince.seq
    const before = snapshot === undefined || isFromFormer ? emptyWork() : parseWork(snapshot.state)
    const afterSeq = Math.max(snapshot?.eventSeq ?? 0, (projectSince?.seq ?? 1) - 1)
    const folded = await foldEventsSince(session, before, afterSeq)
    // Notes in between may be from either project; most are from the former one.
    const work = isFromFormer ? folded.work : transcript.notes.reduce(foldNote, folded.work)
    await ports.store.saveWork({
      sessionId: session.id,
      eventSeq: folded.eventSeq,
      transcriptOffset: transcript.nextOffset,
      state: JSON.stringify(work),
    })
    const measured = transcript.notes.findLast((note) => note.kind === 'context-measured')
    const { contextTokens, windowTokens: contextWindowTokens } =
      measured?.kind === 'context-measured' ? measured : { contextTokens: undefined, windowTokens: undefined }
    const { harnessVersion } = transcript
    const isVersionNews = harnessVersion !== undefined && harnessVersion !== session.harnessVersion
    if (contextTokens !== undefined || isVersionNews) {
      await ports.store.noteObserved(session.id, { contextTokens, contextWindowTokens, harnessVersion })
    }
    return { work, eventSeq: folded.eventSeq }
  }

  // One at a time for each session: two would fold the same lines twice.
  function catchUp(session: Session): Promise<TrackedWork> {
    return queue.run(session.id, () => look(session))
  }

  /** Only tool calls: the subagent's requests and messages are not the user's or the session's. */
  async function readSubagent(subagent: SubagentRef, { harness, key, cwd }: Session, path: string): Promise<void> {
    const { items } = await ports.transcripts.readFrom({ harness, path, sessionKey: key, cwd, subagent }, 0)
    const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
    await recordEvents(
      events.filter(({ kind }) => kind === 'tool-finished'),
      'transcript',
    )
  }

  return {
    catchUp,
    async readFor(event) {
      const session = await ports.store.findSession(getSessionId(event))
      const path = event.transcriptPath ?? session?.transcriptPath
      if (session === undefined || path === undefined) return
      if (event.subagent === undefined) await catchUp({ ...session, transcriptPath: path })
      else if (path !== session.transcriptPath) await readSubagent(event.subagent, session, path)
    },
  }
}
