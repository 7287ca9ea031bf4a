import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import { didWork, hasContent, isNoteOnly } from '../checkpoint/did-work.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import { listNewestSessions } from '../kernel/ports/newest-first.ts'
import { type SessionId, toSessionId } from '../kernel/id.ts'
import type { Location } from '../kernel/location.ts'
import type { Session } from '../kernel/session.ts'
import type { Checkpointer } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { isLive, isOnThisMachine, isOrphan } from '../kernel/ports/liveness.ts'
import { isElsewhere, isOfPerson, listElsewhere, listOfferedWork } from './choice/elsewhere.ts'
import type {
  LiveSession,
  OfferedWork,
  PassedOverReason,
  PassedOverSession,
  SourceReason,
} from './choice/work-choice.ts'
import { getFolder, isFolderOf, toLiveSession } from './describe-choice.ts'
import { findWindowMs, isUnused, rankByPlace } from './find-work.ts'
import { createFindForkOrigin } from './fork-origin.ts'

const CANDIDATES = 40
const CHECKPOINTS_PER_SESSION = 50
const TASK_STEPS = 1_000
/** How many sessions back along a lineage. */
const LINEAGE_DEPTH = 3

/** Starts that continue the same session: its own checkpoints come first. */
const CONTINUES_ITSELF: ReadonlySet<string> = new Set(['resume', 'compact', 'fork'])

export interface RecoverySources {
  readonly reason: SourceReason
  /** The main session, then the ones it had itself recovered from; newest first within each. */
  readonly checkpoints: readonly StoredCheckpoint[]
  readonly main: Session
  readonly isUnderWay: boolean
}

export interface SourceSelection {
  /** Absent if nothing is known that this session may continue. */
  readonly sources?: RecoverySources
  readonly liveSessions: readonly LiveSession[]
  /** Newer than the chosen one, newest first. */
  readonly passedOver: readonly PassedOverSession[]
  /** On other machines: named, and not given. */
  readonly offeredWork: readonly OfferedWork[]
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
  /** Where it starts, without a session; default: at the top of the worktree. */
  readonly cwd?: string
  /** The session that starts; absent for a preview. */
  readonly session?: Session
}

function ageMs({ lastEventAt }: Session, now: string): number {
  return Date.parse(now) - Date.parse(lastEventAt)
}

function folderOf({ cwd, place }: Session): string {
  return getFolder(cwd, place?.worktree)
}

function passOver({ key, harness, lastEventAt }: Session, reason: PassedOverReason): PassedOverSession {
  return { key, harness, lastEventAt, reason }
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
    if (session === undefined || before === undefined) return undefined
    // It was shown another package's work because there was no other; the two are still separate work.
    const isNamed = session.previousSessionKey === before.key
    if (!isNamed && !isFolderOf(folderOf(before), folderOf(session))) return undefined
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
    const { continuity } = await ports.configFor(place.worktree)
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
      const isUnderWay = ancestor.id === session.id || ageMs(ancestor, ports.clock.now()) <= continuity.recoveryWindowMs
      if (checkpoints.length > 0) return { reason: 'lineage', checkpoints, main: ancestor, isUnderWay }
    }
    return undefined
  }

  async function checkpointsOf({ session, beforeSeq }: CandidateSession, place: Location) {
    await ifWritable(bringUpToDate(session, beforeSeq !== undefined), session.id)
    // In another location of the repository, its project is that of the location.
    const at = isElsewhere(session) ? (session.place ?? place) : place
    const along = await checkpointsAlongLineage({ id: session.id, beforeSeq }, at)
    return along.filter((stored) => hasContent(stored.checkpoint))
  }

  /** What live sessions recovered from at their start: they continue it. */
  function listContinued(live: readonly Session[], known: readonly Session[]): ReadonlySet<SessionId> {
    const continued = new Set<SessionId>()
    for (const session of live) {
      let next = session.continues
      for (let depth = 0; depth < LINEAGE_DEPTH && next !== undefined && !continued.has(next); depth += 1) {
        continued.add(next)
        next = known.find(({ id }) => id === next)?.continues
      }
    }
    return continued
  }

  async function listHere({ projectId, worktree, formerWorktree }: Location): Promise<readonly Session[]> {
    const folders = formerWorktree === undefined ? [worktree] : [worktree, formerWorktree]
    const lists = await Promise.all(
      folders.map((folder) => listNewestSessions(ports.store, { projectId, worktree: folder, limit: CANDIDATES })),
    )
    // Another machine may have a checkout at the same path.
    return lists.flat().filter((session) => !isElsewhere(session))
  }

  /** The session that the user chose with `holdfast take` for this worktree, until a session here continued it. */
  async function findTaken({ worktree }: Location, here: readonly Session[]): Promise<Session | undefined> {
    const taken = await ports.store.findTakenWork(worktree)
    if (taken === undefined) return undefined
    const isUsed = here.some(({ continues, lastEventSeq }) => continues === taken.sessionId && lastEventSeq > taken.seq)
    return isUsed ? undefined : ports.store.findSession(taken.sessionId)
  }

  /** This person's sessions on this branch, on other machines; and sessions that are only offered. */
  async function splitElsewhere(place: Location, now: string, windowMs: number, passedOver: PassedOverSession[]) {
    const own: Session[] = []
    const offered: Session[] = []
    for (const session of await listElsewhere(ports, place)) {
      const reason =
        ageMs(session, now) > windowMs
          ? 'too-old'
          : !isOfPerson(session, ports)
            ? 'other-person'
            : session.place?.branch !== place.branch
              ? 'other-branch'
              : undefined
      if (reason === undefined) own.push(session)
      else passedOver.push(passOver(session, reason))
      if (reason === 'other-person' || reason === 'other-branch') offered.push(session)
    }
    return { own, offeredWork: await listOfferedWork(ports, offered) }
  }

  async function byPlace({ place, cwd, session: self }: StartingPoint): Promise<SourceSelection> {
    const config = await ports.configFor(place.worktree)
    const now = ports.clock.now()
    const windowMs = findWindowMs(config.continuity)
    const sessions = (await listHere(place)).filter((session) => session.id !== self?.id && !isUnused(session))
    const taken = await findTaken(place, sessions)
    // An earlier session of this process does not count as another live session.
    const isOther = ({ process }: Session) => process === undefined || process.pid !== self?.process?.pid
    const live = sessions.filter((session) => isLive(session, ports, config.daemon.assumeLiveMs) && isOther(session))
    const continued = listContinued(live, sessions)
    const passedOver: PassedOverSession[] = []
    const silent: CandidateSession[] = []
    for (const session of sessions) {
      const handedOver = live.includes(session) ? await handedOverAt(session) : undefined
      if (ageMs(session, now) > windowMs) passedOver.push(passOver(session, 'too-old'))
      else if (handedOver !== undefined) silent.push({ session, beforeSeq: handedOver + 1 })
      else if (live.includes(session)) passedOver.push(passOver(session, 'live'))
      else if (continued.has(session.id)) passedOver.push(passOver(session, 'continued-by-live'))
      else silent.push({ session })
    }
    const { own: elsewhere, offeredWork } = await splitElsewhere(place, now, windowMs, passedOver)
    const isHandedOver = (session: Session) => silent.some((candidate) => candidate.session === session)
    const liveSessions = live.filter((session) => session.promptCount > 0 && !isHandedOver(session)).map(toLiveSession)
    const choose = (
      reason: SourceReason,
      main: Session,
      checkpoints: readonly StoredCheckpoint[],
    ): SourceSelection => ({
      sources: { reason, checkpoints, main, isUnderWay: ageMs(main, now) <= config.continuity.recoveryWindowMs },
      liveSessions,
      offeredWork: offeredWork.filter(({ key, harness }) => key !== main.key || harness !== main.harness),
      passedOver: passedOver.filter(({ key, harness }) => key !== main.key || harness !== main.harness),
    })
    const folder = getFolder(self?.cwd ?? cwd, place.worktree)
    const isTaken = folder !== '' && liveSessions.some((other) => isFolderOf(other.folder, folder))
    if (taken !== undefined) {
      const checkpoints = await checkpointsOf({ session: taken }, place)
      if (checkpoints.length > 0) return choose('taken', taken, checkpoints)
    }
    const ranked = rankByPlace(
      // A session that starts beside a live one in its package does not want another package's work instead.
      silent.flatMap(({ session }) => (isTaken && !isFolderOf(folderOf(session), folder) ? [] : [session])),
      place,
      folder,
      isTaken ? [] : elsewhere,
    )
    const idle: { reason: SourceReason; session: Session; checkpoints: readonly StoredCheckpoint[] }[] = []
    const notes: StoredCheckpoint[] = []
    for (const { reason, session } of ranked) {
      const candidate = silent.find((other) => other.session === session) ?? { session }
      const checkpoints = await checkpointsOf(candidate, place)
      const own = checkpoints.filter(({ checkpoint }) => checkpoint.sessionId === session.id)
      if (own.some(({ checkpoint }) => didWork(checkpoint))) {
        const newer = notes.filter(({ checkpoint }) => checkpoint.createdAt >= session.lastEventAt)
        return choose(reason, session, [...newer, ...checkpoints])
      }
      if (own.some(({ checkpoint }) => isNoteOnly(checkpoint))) notes.push(...own)
      else passedOver.push(passOver(session, checkpoints.length === 0 ? 'nothing-known' : 'no-work'))
      if (checkpoints.length > 0) idle.push({ reason, session, checkpoints })
    }
    // No session did work: what is known of all of them, in one place.
    const [first] = idle
    if (first === undefined) return { liveSessions, passedOver, offeredWork }
    const found = new Map(
      idle
        .filter(({ reason }) => reason === first.reason)
        .flatMap(({ checkpoints }) => checkpoints.map((one) => [one.seq, one])),
    )
    return choose(first.reason, first.session, [...found.values()])
  }

  return {
    async select(start: StartingPoint): Promise<SourceSelection> {
      const { place, session } = start
      if (session?.source === 'fork') await checkpointForFork(session, place)
      const lineage = session === undefined ? undefined : await byLineage(session, place)
      return lineage === undefined
        ? byPlace(start)
        : { sources: lineage, liveSessions: [], passedOver: [], offeredWork: [] }
    },

    /** Newest checkpoint of each existing sibling worktree within the window: offered by name, never injected. */
    async siblings(place: Location) {
      const { continuity } = await ports.configFor(place.worktree)
      const since = new Date(Date.parse(ports.clock.now()) - findWindowMs(continuity)).toISOString()
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
