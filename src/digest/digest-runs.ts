import type { CheckpointTrigger, Checkpoint } from '../kernel/checkpoint.ts'
import type { DigestConfig } from '../kernel/config.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import type { EventOf, SessionEvent } from '../kernel/event.ts'
import { datedId, EventId, type SessionId } from '../kernel/id.ts'
import { isOnThisMachine } from '../kernel/ports/liveness.ts'
import type { Announcement } from '../kernel/ports/ports.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import { renderExcerpt } from './excerpt.ts'
import { type DigestRun, findRunLimit } from './run-limits.ts'

/** Checkpoints at which a handoff is worth a run: the work paused, or much of it gathered. */
const TRIGGERS: ReadonlySet<CheckpointTrigger> = new Set<CheckpointTrigger>([
  'periodic',
  'pre_compaction',
  'session_end',
  'interrupted',
  'autosave',
])
/** A session with fewer tool calls since its last digest has little to hand over. */
const MIN_CALLS = 5
/** The agent's and the user's own words stay the newest note for this many calls. */
const MIN_CALLS_AFTER_OWN = 20
const MAX_AGE_MS = 24 * 3_600_000
const MAX_WAITING = 10
const MAX_DIGESTS = 1_000

export interface DigestRunPorts
  extends Pick<ContinuityPorts, 'store' | 'clock' | 'entropy' | 'log' | 'machine' | 'redactors' | 'configFor'> {
  /** Runs the configured program on the excerpt. */
  readonly write: (
    excerpt: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ) => Promise<string>
  readonly record: (event: SessionEvent) => Promise<unknown>
  /** The latest runs, oldest first. */
  readonly readRuns: () => readonly DigestRun[]
  readonly appendRun: (run: DigestRun) => void
}

export interface DigestRuns {
  /** Starts a run in the background if the checkpoint is worth one. Returns at once. */
  onAnnouncement(announcement: Announcement): void
  /** Ends a run that is under way, and starts no other. */
  stop(): Promise<void>
}

/** The handoff as an event of the session, dated as the work that it describes, so that ages do not change. */
export function toDigestEvent(
  checkpoint: Checkpoint,
  summary: string,
  facts: { readonly id: EventId; readonly at: string; readonly door: EventOf<'digest-written'>['door'] },
): EventOf<'digest-written'> {
  return {
    kind: 'digest-written',
    ...facts,
    harness: checkpoint.harness,
    sessionKey: checkpoint.sessionKey,
    cwd: checkpoint.place.worktree,
    summary,
    author: 'command',
    asOfOrder: checkpoint.work.lastOrder,
  }
}

/** Runs `digest.command` at checkpoints, one run at a time, within the limits of the settings. Failures are recorded, not retried. */
export function createDigestRuns(ports: DigestRunPorts): DigestRuns {
  const waiting = new Set<SessionId>()
  const ending = new AbortController()
  let running: Promise<void> | undefined

  async function hasNewWork({ id: sessionId, toolCount }: Session): Promise<boolean> {
    const digests = await ports.store.listEvents({ sessionId, kinds: ['digest-written'], limit: MAX_DIGESTS })
    const last = digests.at(-1)
    if (last === undefined) return toolCount >= MIN_CALLS
    const needed =
      last.event.kind === 'digest-written' && last.event.author === 'command' ? MIN_CALLS : MIN_CALLS_AFTER_OWN
    const kinds = ['tool-finished'] as const
    return (await ports.store.listEvents({ sessionId, afterSeq: last.seq, kinds, limit: needed })).length >= needed
  }

  async function findWork(sessionId: SessionId): Promise<{ session: Session; checkpoint: Checkpoint } | undefined> {
    const session = await ports.store.findSession(sessionId)
    if (session === undefined || !isOnThisMachine(session, ports)) return undefined
    if (session.endReason === 'imported' || session.endReason === 'handoff') return undefined
    if (Date.parse(ports.clock.now()) - Date.parse(session.lastEventAt) > MAX_AGE_MS) return undefined
    if (!(await hasNewWork(session))) return undefined
    const [stored] = await ports.store.listCheckpoints({ sessionId, limit: 1 })
    return stored === undefined ? undefined : { session, checkpoint: stored.checkpoint }
  }

  async function write(session: Session, checkpoint: Checkpoint, { timeoutMs }: DigestConfig): Promise<number> {
    const redactor = await ports.redactors.forWorktree(session.place?.worktree, session.cwd)
    const excerpt = redactor.redact(renderExcerpt(checkpoint))
    const summary = await ports.write(excerpt, { timeoutMs, signal: ending.signal })
    const id = EventId(datedId('digest', ports.clock.now(), ports.entropy.bytes(10)))
    await ports.record(toDigestEvent(checkpoint, summary, { id, at: session.lastEventAt, door: 'api' }))
    return summary.length
  }

  async function run(sessionId: SessionId): Promise<void> {
    const work = await findWork(sessionId)
    if (work === undefined) return
    const { session, checkpoint } = work
    const { digest } = await ports.configFor(session.place?.worktree)
    const at = ports.clock.now()
    const limit = findRunLimit(ports.readRuns(), digest, { now: at, sessionId })
    if (limit !== undefined) return ports.log.debug('digest not written', { session: sessionId, because: limit })
    const startedMs = ports.clock.monotonicMs()
    const end = (outcome: Pick<DigestRun, 'chars' | 'error'>) =>
      ports.appendRun({ at, sessionId, ms: Math.round(ports.clock.monotonicMs() - startedMs), ...outcome })
    try {
      end({ chars: await write(session, checkpoint, digest) })
    } catch (thrown) {
      if (ending.signal.aborted) return
      end({ error: getErrorMessage(thrown).slice(0, 500) })
    }
  }

  async function runAll(): Promise<void> {
    for (const sessionId of waiting) {
      waiting.delete(sessionId)
      if (ending.signal.aborted) return
      // The store or the disk: `doctor` reports those. The next checkpoint tries again.
      await run(sessionId).catch((thrown: unknown) => {
        ports.log.debug('digest not written', { session: sessionId, error: getErrorMessage(thrown) })
      })
    }
  }

  return {
    onAnnouncement({ kind, sessionId, trigger }) {
      if (kind !== 'checkpoint' || sessionId === undefined || trigger === undefined || !TRIGGERS.has(trigger)) return
      if (ending.signal.aborted || waiting.size >= MAX_WAITING) return
      waiting.add(sessionId)
      running ??= runAll().finally(() => {
        running = undefined
      })
    },
    async stop() {
      ending.abort()
      await running
    },
  }
}
