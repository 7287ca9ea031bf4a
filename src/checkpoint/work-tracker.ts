import { type SessionEvent, type SubagentRef, type TranscriptNote, sessionIdOfEvent } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import { redactNote } from '../redaction/redact-event.ts'
import type { Session } from '../kernel/session.ts'
import { foldEvent, foldNote } from './work/fold.ts'
import { type WorkState, emptyWork, parseWork } from './work/state.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import type { Recording } from '../capture/record-events.ts'
import { respelled } from '../capture/canonical-paths.ts'

const EVENT_PAGE = 500
/** A transcript grows by little between two looks; what is more than this many chunks behind is caught up at the next look. */
const MAX_CHUNKS_PER_LOOK = 8

export interface CaughtUpWork {
  readonly work: WorkState
  /** The newest event folded in. */
  readonly eventSeq: number
}

export interface WorkKeeper {
  /** The session's work up to now: the kept snapshot, then every event and transcript line since. */
  catchUp(session: Session): Promise<CaughtUpWork>
  /** What the transcript that an event names says up to now, kept. Nothing for a session that is not known yet. */
  readonly readFor: (event: SessionEvent) => Promise<void>
}

/** Read from the transcript only now, though it happened before the session came into the project that it is in. */
function isOfFormerProject(event: SessionEvent, since: Session['projectSince']): boolean {
  return since !== undefined && event.door === 'transcript' && event.at < since.at
}

/**
 * Nothing is folded on the hot path and nothing lives in memory alone: what is needed is folded when it is needed,
 * from what is durable, so a killed daemon knows as much as a running one.
 */
export function createWorkKeeper(deps: ContinuityDeps, recording: Pick<Recording, 'append'>): WorkKeeper {
  const underWay = new Map<SessionId, Promise<CaughtUpWork>>()

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
    const redactor = await deps.redactors.forWorktree(session.place?.worktree, session.cwd)
    for (let chunks = 0; chunks < MAX_CHUNKS_PER_LOOK; chunks += 1) {
      const chunk = await deps.transcripts.readFrom(source, nextOffset)
      const events: SessionEvent[] = []
      for (const item of chunk.items) {
        if (item.type === 'event') events.push(item.event)
        else notes.push(redactNote(item.note, redactor))
      }
      await recording.append(events)
      harnessVersion = chunk.harnessVersion ?? harnessVersion
      if (chunk.nextOffset === nextOffset) break
      nextOffset = chunk.nextOffset
    }
    return { notes, nextOffset, harnessVersion }
  }

  async function foldEventsSince({ id: sessionId, place, projectSince }: Session, state: WorkState, afterSeq: number) {
    const worktree = place?.worktree
    let work = state
    let eventSeq = afterSeq
    for (;;) {
      const page = await deps.store.listEvents({ sessionId, afterSeq: eventSeq, limit: EVENT_PAGE })
      for (const stored of page) {
        eventSeq = stored.seq
        if (isOfFormerProject(stored.event, projectSince)) continue
        work = foldEvent(work, respelled(stored.event, place), { worktree })
      }
      if (page.length < EVENT_PAGE) return { work, eventSeq }
    }
  }

  async function look(session: Session): Promise<CaughtUpWork> {
    const snapshot = await deps.store.findWork(session.id)
    const transcript = await readTranscript(session, snapshot?.transcriptOffset ?? 0)
    const { projectSince } = session
    const isFromFormer = projectSince !== undefined && (snapshot?.eventSeq ?? 0) < projectSince.seq
    const before = snapshot === undefined || isFromFormer ? emptyWork() : parseWork(snapshot.state)
    const afterSeq = Math.max(snapshot?.eventSeq ?? 0, (projectSince?.seq ?? 1) - 1)
    const folded = await foldEventsSince(session, before, afterSeq)
    // What the transcript says in between may be from either side of the change; most of it is from before.
    const work = isFromFormer ? folded.work : transcript.notes.reduce(foldNote, folded.work)
    await deps.store.saveWork({
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
      await deps.store.noteObserved(session.id, { contextTokens, contextWindowTokens, harnessVersion })
    }
    return { work, eventSeq: folded.eventSeq }
  }

  // One look at a time per session: two would fold the same lines twice.
  function catchUp(session: Session): Promise<CaughtUpWork> {
    const previous = underWay.get(session.id)
    const next =
      previous === undefined
        ? look(session)
        : previous.then(
            () => look(session),
            () => look(session),
          )
    underWay.set(session.id, next)
    const forget = () => {
      if (underWay.get(session.id) === next) underWay.delete(session.id)
    }
    next.then(forget, forget)
    return next
  }

  /** What it did, never what it was asked or said: that is between the agents. */
  async function readSubagent(subagent: SubagentRef, { harness, key, cwd }: Session, path: string): Promise<void> {
    const { items } = await deps.transcripts.readFrom({ harness, path, sessionKey: key, cwd, subagent }, 0)
    const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
    await recording.append(events.filter(({ kind }) => kind === 'tool-finished'))
  }

  return {
    catchUp,
    async readFor(event) {
      const session = await deps.store.findSession(sessionIdOfEvent(event))
      const path = event.transcriptPath ?? session?.transcriptPath
      if (session === undefined || path === undefined) return
      if (event.subagent === undefined) await catchUp({ ...session, transcriptPath: path })
      else if (path !== session.transcriptPath) await readSubagent(event.subagent, session, path)
    },
  }
}
