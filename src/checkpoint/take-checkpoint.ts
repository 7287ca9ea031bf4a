import type { CheckpointTrigger, StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { CheckpointUseCases } from './use-cases.ts'
import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import { type SessionId, CheckpointId, datedId } from '../kernel/id.ts'
import type { AppendResult } from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'
import { composeCheckpoint, pathsToHash } from './compose-checkpoint.ts'
import type { Announce, ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { WorkTracker } from './work-tracker.ts'
import { KeyedTaskQueue } from '../kernel/structures/task-queue.ts'

const MAX_HASHED_FILES = 120
const MAX_HASHED_BYTES = 2_000_000
const HASHED_AT_ONCE = 8
/** A checkpoint is usually made within seconds of the work, unless the daemon was not running. */
const LATE_MS = 10_000
/** Changes that an edit causes, such as a formatter's, belong to it. */
const SETTLES_WITHIN_MS = 2_000
const EVENT_PAGE = 500
const LEDGER_LOOKBACK = 50
const TOP_MEMORIES = 5
const TRANSCRIPT_DELAY_MS = 2_500

export interface Checkpointer {
  readonly checkpoint: CheckpointUseCases['checkpoint']
  /** Does what an event asked for: urgent checkpoints now, others after the debounce, merged. */
  runEffects(result: AppendResult): void
  /** Takes the checkpoints that are waiting; resolves when nothing is under way. */
  readonly drain: () => Promise<void>
}

interface ScheduledCheckpoint {
  readonly trigger: CheckpointTrigger
  readonly cancel: () => void
}

/** Turns a session's work into checkpoints, off the hot path: the events are durable already. */
export function createCheckpointer(ports: ContinuityPorts, tracker: WorkTracker, announce: Announce): Checkpointer {
  const waiting = new Map<SessionId, ScheduledCheckpoint>()
  const queue = new KeyedTaskQueue<SessionId>()
  const looking = new Set<SessionId>()

  /** Undefined for a file that was modified after the work ended: the session's content is unknown. */
  async function hashFile(path: string, endedAt: string | undefined): Promise<string | undefined> {
    const latest = endedAt === undefined ? undefined : Date.parse(endedAt) + SETTLES_WITHIN_MS
    const facts = latest === undefined ? undefined : await ports.files.facts(path)
    if (latest !== undefined && facts !== undefined && Date.parse(facts.modifiedAt) > latest) return undefined
    return ports.files.contentHash(path, MAX_HASHED_BYTES)
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

  /** When the work of a late checkpoint ended; undefined if the checkpoint is not late. */
  async function endOfWork(
    session: Session,
    trigger: CheckpointTrigger,
    sinceSeq: number,
  ): Promise<string | undefined> {
    const isLate = Date.parse(ports.clock.now()) - Date.parse(session.lastEventAt) > LATE_MS
    if (trigger !== 'interrupted' && !isLate) return undefined
    let [endedAt, afterSeq]: [string | undefined, number] = [undefined, sinceSeq]
    for (;;) {
      const page = await ports.store.listEvents({ sessionId: session.id, afterSeq, limit: EVENT_PAGE })
      // A resume is not work: it comes after whatever happened to the files meanwhile.
      for (const { event } of page)
        if (event.kind !== 'session-started' && event.at > (endedAt ?? '')) endedAt = event.at
      afterSeq = page.at(-1)?.seq ?? afterSeq
      if (page.length < EVENT_PAGE) return endedAt ?? session.lastEventAt
    }
  }

  /** The ids of the memories that the session was given before prompts after `since`, most often first. */
  async function listAccessedMemories(sessionId: SessionId, since: string): Promise<readonly string[]> {
    const given = await ports.store.listInjections({ sessionId, kind: 'memories', limit: LEDGER_LOOKBACK })
    const counts = new Map<string, number>()
    for (const id of given.flatMap(({ at, sources }) => (at > since ? sources : [])))
      counts.set(id, (counts.get(id) ?? 0) + 1)
    return [...counts.entries()]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, TOP_MEMORIES)
      .map(([id]) => id)
  }

  async function compose(sessionId: SessionId, trigger: CheckpointTrigger): Promise<StoredCheckpoint | undefined> {
    const session = await ports.store.findSession(sessionId)
    if (session === undefined) {
      throw new HoldfastError('not-found', `No session ${sessionId}.`, {
        hint: 'Run `holdfast sessions list` to see the known ones.',
      })
    }
    const place = session.place
    const { continuity } = await ports.configFor(place?.worktree)
    if (!continuity.enabled || place === undefined) return undefined
    const { work, eventSeq } = await tracker.catchUp(session)
    const current = (await ports.store.findSession(sessionId)) ?? session
    const [parent] = await ports.store.listCheckpoints({ sessionId, limit: 1 })
    const isNothingNew = parent !== undefined && parent.checkpoint.eventSeq >= eventSeq
    if (isNothingNew || !current.hasNewWork) return undefined
    // If another repository is at the path now, its files and git say nothing about this work.
    const isStillThere = (await ports.locator.locate(place.worktree)).projectId === place.projectId
    const workEndedAt = await endOfWork(current, trigger, parent?.checkpoint.eventSeq ?? 0)
    const createdAt = ports.clock.now()
    const checkpoint = composeCheckpoint({
      id: CheckpointId(datedId('ckpt', createdAt, ports.entropy.bytes(10))),
      session: current,
      work,
      trigger,
      place,
      git: workEndedAt === undefined && isStillThere ? await ports.git.state(place.worktree) : undefined,
      fileHashes: isStillThere
        ? await hashFiles(current, pathsToHash(work, MAX_HASHED_FILES), workEndedAt)
        : new Map<string, string>(),
      createdAt,
      workEndedAt,
      eventSeq,
      parent: parent?.checkpoint,
      accessedMemories: await listAccessedMemories(sessionId, parent?.checkpoint.createdAt ?? ''),
    })
    const stored = await ports.store.saveCheckpoint(checkpoint, continuity.maxCheckpointsPerSession)
    announce({ seq: eventSeq, kind: 'checkpoint', sessionId, detail: checkpoint.id, trigger })
    ports.log.info('checkpoint saved', { session: sessionId, checkpoint: checkpoint.id, trigger })
    return stored
  }

  /** One at a time per session, in the order asked for. */
  function checkpoint(sessionId: SessionId, trigger: CheckpointTrigger): Promise<StoredCheckpoint | undefined> {
    waiting.get(sessionId)?.cancel()
    waiting.delete(sessionId)
    return queue.run(sessionId, () => compose(sessionId, trigger))
  }

  function composeInBackground(sessionId: SessionId, trigger: CheckpointTrigger): void {
    checkpoint(sessionId, trigger).catch((error: unknown) => {
      // The events are durable: the next trigger or start takes the checkpoint.
      ports.log.error('checkpoint failed', { session: sessionId, trigger, error: getErrorMessage(error) })
    })
  }

  async function wait(session: Session, trigger: CheckpointTrigger): Promise<void> {
    const { continuity } = await ports.configFor(session.place?.worktree)
    if (waiting.has(session.id)) return
    const cancel = ports.timers.after(continuity.debounceMs, () => {
      waiting.delete(session.id)
      composeInBackground(session.id, trigger)
    })
    waiting.set(session.id, { trigger, cancel })
  }

  /** The harness writes a turn's last lines after its hook ran, so the read waits. */
  function readTranscriptLater(session: Session): void {
    if (looking.has(session.id)) return
    looking.add(session.id)
    ports.timers.after(TRANSCRIPT_DELAY_MS, () => {
      looking.delete(session.id)
      tracker.catchUp(session).catch((error: unknown) => {
        // The next checkpoint reads the same lines again.
        ports.log.warn('transcript not read', { session: session.id, error: getErrorMessage(error) })
      })
    })
  }

  return {
    checkpoint,
    runEffects({ session, effects }) {
      for (const effect of effects) {
        if (effect.kind === 'read-transcript') readTranscriptLater(session)
        if (effect.kind !== 'checkpoint') continue
        if (effect.isUrgent) composeInBackground(session.id, effect.trigger)
        else {
          wait(session, effect.trigger).catch((error: unknown) => {
            ports.log.error('checkpoint not scheduled', { session: session.id, error: getErrorMessage(error) })
          })
        }
      }
    },
    async drain() {
      for (const [sessionId, { trigger }] of [...waiting]) composeInBackground(sessionId, trigger)
      await queue.drain()
    },
  }
}
