import type { CheckpointTrigger, StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { CheckpointUseCases } from './use-cases.ts'
import { HoldfastError, messageOf } from '../kernel/errors.ts'
import { type SessionId, CheckpointId, datedId } from '../kernel/id.ts'
import type { Appended } from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'
import { composeCheckpoint, pathsToHash } from './compose-checkpoint.ts'
import type { Announce, ContinuityDeps } from '../kernel/ports/runtime.ts'
import type { WorkKeeper } from './work-tracker.ts'

const MAX_HASHED_FILES = 120
const MAX_HASHED_BYTES = 2_000_000
const HASHED_AT_ONCE = 8
/** A checkpoint is made within seconds of what it tells of, unless nobody was there to ask for it. */
const LATE_MS = 10_000
/** What an edit sets off by itself, as a formatter, belongs to it. */
const SETTLES_WITHIN_MS = 2_000
const EVENT_PAGE = 500
const TRANSCRIPT_DELAY_MS = 2_500

export interface Composing {
  readonly checkpoint: CheckpointUseCases['checkpoint']
  /** Acts on what an event asked for: urgent checkpoints now, others after the debounce, merged. */
  follow(appended: Appended): void
  /** Composes what is still waiting; resolves when nothing is under way. */
  readonly drain: () => Promise<void>
}

interface Waiting {
  readonly trigger: CheckpointTrigger
  readonly cancel: () => void
}

/** Turns a session's work into checkpoints, off the hot path: the events behind them are durable already. */
export function createComposing(deps: ContinuityDeps, keeper: WorkKeeper, announce: Announce): Composing {
  const waiting = new Map<SessionId, Waiting>()
  const underWay = new Map<SessionId, Promise<unknown>>()
  const looking = new Set<SessionId>()

  /** Of files that somebody else wrote after the work had ended nobody knows any more what the work had left. */
  async function hashFile(path: string, endedAt: string | undefined): Promise<string | undefined> {
    const latest = endedAt === undefined ? undefined : Date.parse(endedAt) + SETTLES_WITHIN_MS
    const facts = latest === undefined ? undefined : await deps.files.facts(path)
    if (latest !== undefined && facts !== undefined && Date.parse(facts.modifiedAt) > latest) return undefined
    return deps.files.contentHash(path, MAX_HASHED_BYTES)
  }

  async function hashFiles(session: Session, paths: readonly string[], endedAt: string | undefined) {
    const worktree = session.place?.worktree
    const hashes = new Map<string, string>()
    if (worktree === undefined) return hashes
    for (let start = 0; start < paths.length; start += HASHED_AT_ONCE) {
      const slice = paths.slice(start, start + HASHED_AT_ONCE)
      const hashed = await Promise.all(slice.map((path) => hashFile(`${worktree}/${path}`, endedAt)))
      hashed.forEach((hash, index) => {
        if (hash !== undefined) hashes.set(slice[index] ?? '', hash)
      })
    }
    return hashes
  }

  /** When the work ended that a checkpoint made only now tells of; undefined where it is being made in time. */
  async function endOfWork(
    session: Session,
    trigger: CheckpointTrigger,
    sinceSeq: number,
  ): Promise<string | undefined> {
    const isLate = Date.parse(deps.clock.now()) - Date.parse(session.lastEventAt) > LATE_MS
    if (trigger !== 'interrupted' && !isLate) return undefined
    let [endedAt, afterSeq]: [string | undefined, number] = [undefined, sinceSeq]
    for (;;) {
      const page = await deps.store.listEvents({ sessionId: session.id, afterSeq, limit: EVENT_PAGE })
      // Being resumed is no work: it comes after whatever happened to the files meanwhile.
      for (const { event } of page)
        if (event.kind !== 'session-started' && event.at > (endedAt ?? '')) endedAt = event.at
      afterSeq = page.at(-1)?.seq ?? afterSeq
      if (page.length < EVENT_PAGE) return endedAt ?? session.lastEventAt
    }
  }

  async function compose(sessionId: SessionId, trigger: CheckpointTrigger): Promise<StoredCheckpoint | undefined> {
    const session = await deps.store.findSession(sessionId)
    if (session === undefined) {
      throw new HoldfastError('not-found', `There is no session ${sessionId}.`, {
        hint: 'Run `holdfast sessions list` to see the known ones.',
      })
    }
    const place = session.place
    const { continuity } = await deps.configFor(place?.worktree)
    if (!continuity.enabled || place === undefined) return undefined
    const { work, eventSeq } = await keeper.catchUp(session)
    const current = (await deps.store.findSession(sessionId)) ?? session
    const [parent] = await deps.store.listCheckpoints({ sessionId, limit: 1 })
    const isNothingNew = parent !== undefined && parent.checkpoint.eventSeq >= eventSeq
    if (isNothingNew || !current.hasNewWork) return undefined
    // Where another repository is at the path by now, neither its files nor its git say anything about this work.
    const isStillThere = (await deps.places.locate(place.worktree)).projectId === place.projectId
    const workEndedAt = await endOfWork(current, trigger, parent?.checkpoint.eventSeq ?? 0)
    const createdAt = deps.clock.now()
    const checkpoint = composeCheckpoint({
      id: CheckpointId(datedId('ckpt', createdAt, deps.entropy.bytes(10))),
      session: current,
      work,
      trigger,
      place,
      git: workEndedAt === undefined && isStillThere ? await deps.git.state(place.worktree) : undefined,
      fileHashes: isStillThere
        ? await hashFiles(current, pathsToHash(work, MAX_HASHED_FILES), workEndedAt)
        : new Map<string, string>(),
      createdAt,
      ...(workEndedAt === undefined ? {} : { workEndedAt }),
      eventSeq,
      parentId: parent?.checkpoint.id,
    })
    const stored = await deps.store.keepCheckpoint(checkpoint)
    announce({ seq: eventSeq, kind: 'checkpoint', sessionId, detail: checkpoint.id, trigger })
    deps.log.info('checkpoint kept', { session: sessionId, checkpoint: checkpoint.id, trigger })
    return stored
  }

  /** One at a time per session, in the order asked for. */
  function checkpoint(sessionId: SessionId, trigger: CheckpointTrigger): Promise<StoredCheckpoint | undefined> {
    waiting.get(sessionId)?.cancel()
    waiting.delete(sessionId)
    const run = () => compose(sessionId, trigger)
    const next = (underWay.get(sessionId) ?? Promise.resolve()).then(run, run)
    underWay.set(sessionId, next)
    const forget = () => {
      if (underWay.get(sessionId) === next) underWay.delete(sessionId)
    }
    next.then(forget, forget)
    return next
  }

  function composeInBackground(sessionId: SessionId, trigger: CheckpointTrigger): void {
    checkpoint(sessionId, trigger).catch((error: unknown) => {
      // The events are durable: the next trigger, or the next start, composes what this one could not.
      deps.log.error('checkpoint failed', { session: sessionId, trigger, error: messageOf(error) })
    })
  }

  async function wait(session: Session, trigger: CheckpointTrigger): Promise<void> {
    const { continuity } = await deps.configFor(session.place?.worktree)
    if (waiting.has(session.id)) return
    const cancel = deps.timers.after(continuity.debounceMs, () => {
      waiting.delete(session.id)
      composeInBackground(session.id, trigger)
    })
    waiting.set(session.id, { trigger, cancel })
  }

  /** The harness writes a turn's last lines after its hook ran, so the look waits as long as a checkpoint does. */
  function readTranscriptLater(session: Session): void {
    if (looking.has(session.id)) return
    looking.add(session.id)
    deps.timers.after(TRANSCRIPT_DELAY_MS, () => {
      looking.delete(session.id)
      keeper.catchUp(session).catch((error: unknown) => {
        // The next checkpoint reads the same lines again.
        deps.log.warn('transcript not read', { session: session.id, error: messageOf(error) })
      })
    })
  }

  return {
    checkpoint,
    follow({ session, effects }) {
      for (const effect of effects) {
        if (effect.kind === 'read-transcript') readTranscriptLater(session)
        if (effect.kind !== 'checkpoint') continue
        if (effect.isUrgent) composeInBackground(session.id, effect.trigger)
        else {
          wait(session, effect.trigger).catch((error: unknown) => {
            deps.log.error('checkpoint not scheduled', { session: session.id, error: messageOf(error) })
          })
        }
      }
    },
    async drain() {
      for (const [sessionId, { trigger }] of [...waiting]) composeInBackground(sessionId, trigger)
      while (underWay.size > 0) await Promise.allSettled(underWay.values())
    },
  }
}
