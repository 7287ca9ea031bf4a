import type { Checkpoint, StoredCheckpoint } from '../kernel/checkpoint.ts'
import { messageOf } from '../kernel/errors.ts'
import type { StartSource } from '../kernel/event.ts'
import { isImported, newestSessions } from '../kernel/ports/newest-first.ts'
import { type SessionId, sessionIdOf } from '../kernel/id.ts'
import type { Place } from '../kernel/project.ts'
import type { Session } from '../kernel/session.ts'
import type { Composing } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import { createForkedFrom } from './forked-from.ts'
import { isLive, isOnThisMachine, isOrphan } from '../kernel/ports/liveness.ts'

const CANDIDATES = 40
const CHECKPOINTS_PER_SESSION = 50
const TASK_STEPS = 1_000
/** How far back along sessions that recovered from one another. */
const LINEAGE_DEPTH = 3

/** Starts whose session had a life before: what it did then speaks first. */
const CONTINUES_ITSELF: ReadonlySet<StartSource> = new Set<StartSource>(['resume', 'compact', 'fork'])

export type SourceReason = 'lineage' | 'same-worktree-and-branch' | 'same-worktree'

export interface Sources {
  readonly reason: SourceReason
  /** The session that speaks, then what it had itself recovered from; newest first within each. */
  readonly checkpoints: readonly StoredCheckpoint[]
}

interface Speaker {
  readonly session: Session
  /** Of one that lives: only what was kept of events before this one. */
  readonly beforeSeq?: number
}

interface Ancestor {
  readonly id: SessionId
  /** Only what was kept of events before this one. */
  readonly beforeSeq?: number
}

export interface StartingPoint {
  readonly place: Place
  /** The session that starts; absent for a preview. */
  readonly session?: Session
}

function hasObservedWork({ work }: Checkpoint): boolean {
  return work.commands.length > 0 || work.todos.length > 0 || work.files.some((file) => file.reads + file.edits > 0)
}

/** Not only that a gate was passed at the keyboard: such a one would pass for whoever did the work that is told behind it. */
function tellsAnything(checkpoint: Checkpoint): boolean {
  const { work, written, recentRemembers } = checkpoint
  const said = [work.asks, work.statements, work.decisions, work.errors, recentRemembers]
  return hasObservedWork(checkpoint) || written !== undefined || said.some(({ length }) => length > 0)
}

/** The transcripts of some harnesses do not say which branch a session was on: it may have been this one. */
function mayBeOnBranch(session: Session, branch: string | undefined): boolean {
  return session.place?.branch === branch || (session.place?.branch === undefined && isImported(session))
}

/** Whose checkpoints speak to a starting session: lineage, then worktree and branch, then worktree, else nobody's. */
export function createSourceSelection(deps: ContinuityDeps, composing: Pick<Composing, 'checkpoint'>) {
  const forkedFrom = createForkedFrom(deps)

  /** Where nothing can be written, a disk that is full, the checkpoints that are there speak. */
  async function ifWritable(writing: Promise<unknown>, sessionId: SessionId): Promise<void> {
    try {
      await writing
    } catch (thrown) {
      deps.log.warn('session not brought up to date', { session: sessionId, error: messageOf(thrown) })
    }
  }

  /** A session that died between two checkpoints gets its last one now, from what is durable. */
  async function bringUpToDate(session: Session, isStillLive: boolean): Promise<void> {
    if (!isOnThisMachine(session, deps)) return
    if (isOrphan(session, deps)) await deps.store.markInterrupted(session.id, deps.clock.now())
    const trigger = isStillLive ? 'periodic' : session.phase === 'ended' ? 'session_end' : 'interrupted'
    if (session.hasNewWork && session.endReason !== 'imported') await composing.checkpoint(session.id, trigger)
  }

  /**
   * Where a session that lives has ended its part of a governed task, as it is told to when its context is full: what it did
   * until then is for the next one, though its harness is still open.
   */
  async function handedOverAt({ id }: Session): Promise<number | undefined> {
    const steps = await deps.store.listEvents({ sessionId: id, kinds: ['task-session-changed'], limit: TASK_STEPS })
    const last = steps.at(-1)
    return last?.event.kind === 'task-session-changed' && last.event.state === 'complete' ? last.seq : undefined
  }

  /** A session that was recovered from may have been resumed since: then it is somebody's present, not a past. */
  async function isLiveNow(session: Session): Promise<boolean> {
    const { daemon } = await deps.configFor(session.place?.worktree)
    return isLive(session, deps, daemon.assumeLiveMs)
  }

  /** Of a session that it was forked from, what was there to be taken along; of any other, everything once it is over. */
  async function ancestorOf(id: SessionId): Promise<Ancestor | undefined> {
    const session = await deps.store.findSession(id)
    const forked = session === undefined ? undefined : await forkedFrom(session)
    if (forked !== undefined) return { id: forked.session.id, beforeSeq: forked.beforeSeq }
    const before = session?.continues === undefined ? undefined : await deps.store.findSession(session.continues)
    if (before === undefined) return undefined
    if (!(await isLiveNow(before))) return { id: before.id }
    const handedOver = await handedOverAt(before)
    return handedOver === undefined ? undefined : { id: before.id, beforeSeq: handedOver + 1 }
  }

  /** Of this project alone: a session may have been in another one before it was resumed here. */
  async function checkpointsAlongLineage(start: Ancestor, { projectId }: Place): Promise<readonly StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = []
    const seen = new Set<SessionId>()
    let next: Ancestor | undefined = start
    for (let depth = 0; depth < LINEAGE_DEPTH && next !== undefined && !seen.has(next.id); depth += 1) {
      const { id, beforeSeq = Number.MAX_SAFE_INTEGER }: Ancestor = next
      seen.add(id)
      const kept = await deps.store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_PER_SESSION })
      const isPast = ({ checkpoint }: StoredCheckpoint) => checkpoint.eventSeq < beforeSeq
      found.push(...kept.filter((stored) => isPast(stored) && stored.checkpoint.place.projectId === projectId))
      next = await ancestorOf(id)
    }
    return found
  }

  /** Which of them is being forked is told by the fork's transcript, later: what each has done until now is kept for it. */
  async function keepForFork({ harness, id: fork }: Session, { worktree, projectId }: Place): Promise<void> {
    const { daemon } = await deps.configFor(worktree)
    for (const session of await newestSessions(deps.store, { projectId, worktree, limit: CANDIDATES }))
      if (session.id !== fork && session.harness === harness && session.hasNewWork && isOnThisMachine(session, deps))
        if (isLive(session, deps, daemon.assumeLiveMs))
          await ifWritable(composing.checkpoint(session.id, 'periodic'), session.id)
  }

  async function findPrevious({ harness, previousSessionKey, source }: Session): Promise<Session | undefined> {
    if (previousSessionKey === undefined) return undefined
    const previous = await deps.store.findSession(sessionIdOf(harness, previousSessionKey))
    if (previous === undefined || source === 'fork') return previous
    return (await isLiveNow(previous)) ? undefined : previous
  }

  async function byLineage(session: Session, place: Place): Promise<Sources | undefined> {
    const previous = await findPrevious(session)
    const self = session.source !== undefined && CONTINUES_ITSELF.has(session.source) ? session : undefined
    for (const ancestor of [self, previous]) {
      if (ancestor === undefined) continue
      const isHere = ancestor.place?.projectId === place.projectId && isOnThisMachine(ancestor, deps)
      if (ancestor.hasNewWork && isHere) {
        const isCompacted = ancestor.id === session.id && session.source === 'compact'
        // Whoever was forked may go on.
        const trigger = isCompacted ? 'pre_compaction' : session.source === 'fork' ? 'periodic' : 'interrupted'
        await ifWritable(composing.checkpoint(ancestor.id, trigger), ancestor.id)
      }
      const checkpoints = await checkpointsAlongLineage({ id: ancestor.id }, place)
      if (checkpoints.length > 0) return { reason: 'lineage', checkpoints }
    }
    return undefined
  }

  /**
   * The newest session's checkpoints; where it only talked, also those of the ones before it, down to one that worked.
   * A question asked in passing must not hide the work that was interrupted before it.
   */
  async function downToRealWork(newestFirst: readonly Speaker[], place: Place): Promise<readonly StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = []
    for (const { session, beforeSeq } of newestFirst) {
      await ifWritable(bringUpToDate(session, beforeSeq !== undefined), session.id)
      const start = { id: session.id, ...(beforeSeq === undefined ? {} : { beforeSeq }) }
      const checkpoints = (await checkpointsAlongLineage(start, place)).filter((kept) => tellsAnything(kept.checkpoint))
      found.push(...checkpoints.filter((stored) => !found.some((other) => other.seq === stored.seq)))
      if (checkpoints.some(({ checkpoint }) => hasObservedWork(checkpoint))) break
    }
    return found
  }

  async function byPlace(place: Place, self: SessionId | undefined): Promise<Sources | undefined> {
    const config = await deps.configFor(place.worktree)
    const since = new Date(Date.parse(deps.clock.now()) - config.continuity.recoveryWindowMs).toISOString()
    const { projectId, worktree, formerWorktree } = place
    const sessions = [...(await newestSessions(deps.store, { projectId, worktree, limit: CANDIDATES }))]
    if (formerWorktree !== undefined)
      sessions.push(...(await newestSessions(deps.store, { projectId, worktree: formerWorktree, limit: CANDIDATES })))
    const silent: Speaker[] = []
    for (const session of sessions) {
      if (session.id === self || session.lastEventAt < since) continue
      if (!isLive(session, deps, config.daemon.assumeLiveMs)) silent.push({ session })
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
    async select({ place, session }: StartingPoint): Promise<Sources | undefined> {
      if (session?.source === 'fork') await keepForFork(session, place)
      const lineage = session === undefined ? undefined : await byLineage(session, place)
      return lineage ?? (await byPlace(place, session?.id))
    },

    /** Newest checkpoint of each sibling worktree that is there, within the window: offered by name, never injected. */
    async siblings(place: Place) {
      const { continuity } = await deps.configFor(place.worktree)
      const since = new Date(Date.parse(deps.clock.now()) - continuity.recoveryWindowMs).toISOString()
      const recent = await deps.store.listCheckpoints({ projectId: place.projectId, since, limit: 50 })
      const newest = new Map<string, StoredCheckpoint>()
      for (const stored of recent) {
        const { worktree } = stored.checkpoint.place
        const isHere = worktree === place.worktree || worktree === place.formerWorktree
        if (!isHere && !newest.has(worktree) && (await deps.files.isDirectory(worktree))) newest.set(worktree, stored)
      }
      return [...newest.values()].map(({ checkpoint }) => ({
        worktree: checkpoint.place.worktree,
        branch: checkpoint.place.branch,
        checkpointId: checkpoint.id,
      }))
    },
  }
}
