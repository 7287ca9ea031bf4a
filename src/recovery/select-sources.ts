import type { Checkpoint, StoredCheckpoint } from '../kernel/checkpoint.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import type { StartSource } from '../kernel/event.ts'
import { isImported, listNewestSessions } from '../kernel/ports/newest-first.ts'
import { type SessionId, toSessionId } from '../kernel/id.ts'
import type { Location } from '../kernel/location.ts'
import type { Session } from '../kernel/session.ts'
import type { Checkpointer } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { isLive, isOnThisMachine, isOrphan } from '../kernel/ports/liveness.ts'
import type { Store } from '../kernel/ports/ports.ts'

const MAX_FORK_CANDIDATES = 40
const CALLS = 1_000

export interface ForkOrigin {
  readonly session: Session
  /** The fork's own start: later work of the other session is not part of the fork. */
  readonly beforeSeq: number
}

/**
 * The session that a fork was made from, if its start does not name it. Claude Code 2.1.325 names none in its hooks, and copies the conversation with the ids of
 * its calls into the fork's transcript: the session that shares most of these calls is the origin, live or not.
 */
function createFindForkOrigin({
  store,
}: {
  readonly store: Pick<Store, 'findSession' | 'listEvents' | 'listSessions'>
}) {
  async function callsOf(sessionId: SessionId): Promise<ReadonlySet<string>> {
    const events = await store.listEvents({ sessionId, kinds: ['tool-finished'], limit: CALLS })
    return new Set(events.flatMap(({ event }) => (event.kind === 'tool-finished' ? (event.tool.callId ?? []) : [])))
  }

  return async ({ id, harness, startedAt, place }: Session): Promise<ForkOrigin | undefined> => {
    const [first] = await store.listEvents({ sessionId: id, kinds: ['session-started'], limit: 1 })
    if (first?.event.kind !== 'session-started' || first.event.source !== 'fork') return undefined
    const { seq: beforeSeq, event } = first
    const named = event.previousSessionKey
    const previous = named === undefined ? undefined : await store.findSession(toSessionId(harness, named))
    if (previous !== undefined) return { session: previous, beforeSeq }
    const copied = await callsOf(id)
    if (copied.size === 0 || place === undefined) return undefined
    const known = await store.listSessions({ projectId: place.projectId, limit: MAX_FORK_CANDIDATES })
    const earlier = known.filter(
      (other) => other.id !== id && other.harness === harness && other.startedAt <= startedAt,
    )
    let most: { readonly session: Session; readonly shared: number } | undefined
    // The oldest of those that share as many: another fork has the same calls.
    for (const session of earlier.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))) {
      const calls = await callsOf(session.id)
      const shared = [...copied].filter((call) => calls.has(call)).length
      if (shared > (most?.shared ?? 0)) most = { session, shared }
    }
    return most === undefined ? undefined : { session: most.session, beforeSeq }
  }
}

const CANDIDATES = 40
const CHECKPOINTS_PER_SESSION = 50
const TASK_STEPS = 1_000
/** How many sessions back along a lineage. */
const LINEAGE_DEPTH = 3

/** Starts that continue the same session: its own checkpoints come first. */
const CONTINUES_ITSELF: ReadonlySet<StartSource> = new Set<StartSource>(['resume', 'compact', 'fork'])

export type SourceReason = 'lineage' | 'same-worktree-and-branch' | 'same-worktree'

export interface RecoverySources {
  readonly reason: SourceReason
  /** The main session, then the ones it had itself recovered from; newest first within each. */
  readonly checkpoints: readonly StoredCheckpoint[]
}

interface CandidateSession {
  readonly session: Session
  /** Of a live session: only checkpoints of events before this one. */
  readonly beforeSeq?: number
}

interface Ancestor {
  readonly id: SessionId
  /** Only checkpoints of events before this one. */
  readonly beforeSeq?: number
}

export interface StartingPoint {
  readonly place: Location
  /** The session that starts; absent for a preview. */
  readonly session?: Session
}

function hasObservedWork({ work }: Checkpoint): boolean {
  return work.commands.length > 0 || work.todos.length > 0 || work.files.some((file) => file.reads + file.edits > 0)
}

/** False for a checkpoint that only records a passed gate: it must not count as the session that did the work. */
function hasContent(checkpoint: Checkpoint): boolean {
  const { work, written, recentRemembers } = checkpoint
  const said = [work.asks, work.statements, work.decisions, work.errors, recentRemembers]
  return hasObservedWork(checkpoint) || written !== undefined || said.some(({ length }) => length > 0)
}

/** The transcripts of some harnesses do not say which branch a session was on: it may have been this one. */
function mayBeOnBranch(session: Session, branch: string | undefined): boolean {
  return session.place?.branch === branch || (session.place?.branch === undefined && isImported(session))
}

/** Selects the checkpoints for a starting session: lineage, then worktree and branch, then worktree, else none. */
export function createSourceSelection(ports: ContinuityPorts, checkpointer: Pick<Checkpointer, 'checkpoint'>) {
  const forkedFrom = createFindForkOrigin(ports)

  /** If nothing can be written, such as on a full disk, the stored checkpoints are used. */
  async function ifWritable(writing: Promise<unknown>, sessionId: SessionId): Promise<void> {
    try {
      await writing
    } catch (thrown) {
      ports.log.warn('session not brought up to date', { session: sessionId, error: getErrorMessage(thrown) })
    }
  }

  /** A session that died between two checkpoints gets its last one now, from the durable events. */
  async function bringUpToDate(session: Session, isStillLive: boolean): Promise<void> {
    if (!isOnThisMachine(session, ports)) return
    if (isOrphan(session, ports)) await ports.store.markInterrupted(session.id, ports.clock.now())
    const trigger = isStillLive ? 'periodic' : session.phase === 'ended' ? 'session_end' : 'interrupted'
    if (session.hasNewWork && session.endReason !== 'imported') await checkpointer.checkpoint(session.id, trigger)
  }

  /**
   * When a live session ended its part of a governed task, as it is asked to when its context is full: its work
   * until then is for the next one, although its harness is still open.
   */
  async function handedOverAt({ id }: Session): Promise<number | undefined> {
    const steps = await ports.store.listEvents({ sessionId: id, kinds: ['task-session-changed'], limit: TASK_STEPS })
    const last = steps.at(-1)
    return last?.event.kind === 'task-session-changed' && last.event.state === 'complete' ? last.seq : undefined
  }

  /** A session that was recovered from may have been resumed since. */
  async function isLiveNow(session: Session): Promise<boolean> {
    const { daemon } = await ports.configFor(session.place?.worktree)
    return isLive(session, ports, daemon.assumeLiveMs)
  }

  /** The session before it: up to the fork, if it was forked; else only once the other is over. */
  async function ancestorOf(id: SessionId): Promise<Ancestor | undefined> {
    const session = await ports.store.findSession(id)
    const forked = session === undefined ? undefined : await forkedFrom(session)
    if (forked !== undefined) return { id: forked.session.id, beforeSeq: forked.beforeSeq }
    const before = session?.continues === undefined ? undefined : await ports.store.findSession(session.continues)
    if (before === undefined) return undefined
    if (!(await isLiveNow(before))) return { id: before.id }
    const handedOver = await handedOverAt(before)
    return handedOver === undefined ? undefined : { id: before.id, beforeSeq: handedOver + 1 }
  }

  /** Only of this project: a session may have been in another one before it was resumed here. */
  async function checkpointsAlongLineage(
    start: Ancestor,
    { projectId }: Location,
  ): Promise<readonly StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = []
    const seen = new Set<SessionId>()
    let next: Ancestor | undefined = start
    for (let depth = 0; depth < LINEAGE_DEPTH && next !== undefined && !seen.has(next.id); depth += 1) {
      const { id, beforeSeq = Number.MAX_SAFE_INTEGER }: Ancestor = next
      seen.add(id)
      const stored = await ports.store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_PER_SESSION })
      const isPast = ({ checkpoint }: StoredCheckpoint) => checkpoint.eventSeq < beforeSeq
      found.push(...stored.filter((stored) => isPast(stored) && stored.checkpoint.place.projectId === projectId))
      next = await ancestorOf(id)
    }
    return found
  }

  /** Only the fork's transcript, later, shows which session was forked: takes a checkpoint of each candidate now. */
  async function checkpointForFork({ harness, id: fork }: Session, { worktree, projectId }: Location): Promise<void> {
    const { daemon } = await ports.configFor(worktree)
    for (const session of await listNewestSessions(ports.store, { projectId, worktree, limit: CANDIDATES }))
      if (session.id !== fork && session.harness === harness && session.hasNewWork && isOnThisMachine(session, ports))
        if (isLive(session, ports, daemon.assumeLiveMs))
          await ifWritable(checkpointer.checkpoint(session.id, 'periodic'), session.id)
  }

  async function findPrevious({ harness, previousSessionKey, source }: Session): Promise<Session | undefined> {
    if (previousSessionKey === undefined) return undefined
    const previous = await ports.store.findSession(toSessionId(harness, previousSessionKey))
    if (previous === undefined || source === 'fork') return previous
    return (await isLiveNow(previous)) ? undefined : previous
  }

  async function byLineage(session: Session, place: Location): Promise<RecoverySources | undefined> {
    const previous = await findPrevious(session)
    const self = session.source !== undefined && CONTINUES_ITSELF.has(session.source) ? session : undefined
    for (const ancestor of [self, previous]) {
      if (ancestor === undefined) continue
      const isHere = ancestor.place?.projectId === place.projectId && isOnThisMachine(ancestor, ports)
      if (ancestor.hasNewWork && isHere) {
        const isCompacted = ancestor.id === session.id && session.source === 'compact'
        // The forked session may continue.
        const trigger = isCompacted ? 'pre_compaction' : session.source === 'fork' ? 'periodic' : 'interrupted'
        await ifWritable(checkpointer.checkpoint(ancestor.id, trigger), ancestor.id)
      }
      const checkpoints = await checkpointsAlongLineage({ id: ancestor.id }, place)
      if (checkpoints.length > 0) return { reason: 'lineage', checkpoints }
    }
    return undefined
  }

  /**
   * The newest session's checkpoints; if it has no observed work, also those of earlier sessions, down to one that has.
   * A short question must not hide the work that was interrupted before it.
   */
  async function downToRealWork(
    newestFirst: readonly CandidateSession[],
    place: Location,
  ): Promise<readonly StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = []
    for (const { session, beforeSeq } of newestFirst) {
      await ifWritable(bringUpToDate(session, beforeSeq !== undefined), session.id)
      const start = { id: session.id, beforeSeq }
      const checkpoints = (await checkpointsAlongLineage(start, place)).filter((stored) =>
        hasContent(stored.checkpoint),
      )
      found.push(...checkpoints.filter((stored) => !found.some((other) => other.seq === stored.seq)))
      if (checkpoints.some(({ checkpoint }) => hasObservedWork(checkpoint))) break
    }
    return found
  }

  async function byPlace(place: Location, self: SessionId | undefined): Promise<RecoverySources | undefined> {
    const config = await ports.configFor(place.worktree)
    const since = new Date(Date.parse(ports.clock.now()) - config.continuity.recoveryWindowMs).toISOString()
    const { projectId, worktree, formerWorktree } = place
    const sessions = [...(await listNewestSessions(ports.store, { projectId, worktree, limit: CANDIDATES }))]
    if (formerWorktree !== undefined)
      sessions.push(
        ...(await listNewestSessions(ports.store, { projectId, worktree: formerWorktree, limit: CANDIDATES })),
      )
    const silent: CandidateSession[] = []
    for (const session of sessions) {
      if (session.id === self || session.lastEventAt < since) continue
      if (!isLive(session, ports, config.daemon.assumeLiveMs)) silent.push({ session })
      else {
        const handedOver = await handedOverAt(session)
        if (handedOver !== undefined) silent.push({ session, beforeSeq: handedOver + 1 })
      }
    }
    const onBranch = silent.filter(({ session }) => mayBeOnBranch(session, place.branch))
    for (const [reason, candidates] of [
      ['same-worktree-and-branch', onBranch],
      ['same-worktree', silent],
    ] as const) {
      const checkpoints = await downToRealWork(candidates, place)
      if (checkpoints.length > 0) return { reason, checkpoints }
    }
    return undefined
  }

  return {
    async select({ place, session }: StartingPoint): Promise<RecoverySources | undefined> {
      if (session?.source === 'fork') await checkpointForFork(session, place)
      const lineage = session === undefined ? undefined : await byLineage(session, place)
      return lineage ?? (await byPlace(place, session?.id))
    },

    /** Newest checkpoint of each existing sibling worktree within the window: offered by name, never injected. */
    async siblings(place: Location) {
      const { continuity } = await ports.configFor(place.worktree)
      const since = new Date(Date.parse(ports.clock.now()) - continuity.recoveryWindowMs).toISOString()
      const recent = await ports.store.listCheckpoints({ projectId: place.projectId, since, limit: 50 })
      const newest = new Map<string, StoredCheckpoint>()
      for (const stored of recent) {
        const { worktree } = stored.checkpoint.place
        const isHere = worktree === place.worktree || worktree === place.formerWorktree
        if (!isHere && !newest.has(worktree) && (await ports.files.isDirectory(worktree))) newest.set(worktree, stored)
      }
      return [...newest.values()].map(({ checkpoint }) => ({
        worktree: checkpoint.place.worktree,
        branch: checkpoint.place.branch,
        checkpointId: checkpoint.id,
      }))
    },
  }
}
