import type { Continuity, InjectionRequest, InjectionText, Recorded } from '../continuity.ts'
import { HoldfastError, messageOf } from '../errors.ts'
import { type EventKind, type SessionEvent, sessionIdOfEvent } from '../event.ts'
import type { Announcement } from '../ports.ts'
import { createAdvising } from './advising.ts'
import { createComposing } from './composing.ts'
import type { ContinuityDeps } from './deps.ts'
import { createMaintenance, type Maintenance } from './maintenance.ts'
import { createMemories } from './memories.ts'
import { createMoving } from './moving.ts'
import { createReceipts } from './receipts.ts'
import { createRecording } from './recording.ts'
import { createRecovering } from './recovering.ts'
import { createSessionQueries } from './session-queries.ts'
import { createWorkKeeper } from './work-keeper.ts'

/** What the daemon needs beside the use cases: its own housekeeping. */
export interface ContinuityEngine extends Continuity, Maintenance {
  /** What to tell a session whose start the store can read but not write for. Owed all the same once the start is kept. Empty when nothing is known. */
  recoverUnkept(event: SessionEvent, maxChars: number): Promise<string>
  /** What the session's transcript says up to now, kept before the event that asks for it. Nothing for a session that is not known yet. */
  readTranscript(event: SessionEvent): Promise<void>
  /** Composes what is waiting; resolves when nothing is under way. */
  drain(): Promise<void>
  /** Told after something is durable. Returns how to stop listening. */
  subscribe(listener: (announcement: Announcement) => void): () => void
}

/** A tool's end is for what a compaction in the middle of a turn made owing, where the harness lets it be told there. */
const INJECTING: ReadonlySet<EventKind> = new Set<EventKind>([
  'session-started',
  'prompt-submitted',
  'tool-finished',
  'compaction-started',
])

export function createContinuity(deps: ContinuityDeps): ContinuityEngine {
  const listeners = new Set<(announcement: Announcement) => void>()
  const announce = (announcement: Announcement) => {
    for (const listener of listeners) listener(announcement)
  }

  const recording = createRecording(deps, announce, (appended) => composing.follow(appended))
  const keeper = createWorkKeeper(deps, recording)
  const composing = createComposing(deps, keeper, announce)
  const queries = createSessionQueries(deps)
  const receipts = createReceipts(deps, announce, queries.getSession)
  const recovering = createRecovering(deps, composing, receipts)
  const advise = createAdvising(deps, composing)
  const memories = createMemories(deps, recording, announce)
  const maintenance = createMaintenance(deps, composing, receipts)

  /** A start that was spooled has nobody waiting for its answer any more, but a prompt will be: have it ready. */
  function prepareRecovery(event: SessionEvent, { isNew, session }: Recorded): void {
    if (!isNew || event.kind !== 'session-started') return
    recovering.owed(session, event, Number.MAX_SAFE_INTEGER).catch((error: unknown) => {
      deps.log.warn('recovery not prepared', { session: session.id, error: messageOf(error) })
    })
  }

  async function recordAll(events: readonly SessionEvent[]): Promise<readonly Recorded[]> {
    const recorded = await recording.recordAll(events)
    recorded.forEach((result, index) => {
      const event = events[index]
      if (event !== undefined) prepareRecovery(event, result)
    })
    return recorded
  }

  async function inject({ event, maxChars, session: recorded }: InjectionRequest): Promise<InjectionText | undefined> {
    if (!INJECTING.has(event.kind)) return undefined
    const session = recorded ?? (await deps.store.findSession(sessionIdOfEvent(event)))
    if (session === undefined) return undefined
    const { continuity } = await deps.configFor(session.place?.worktree)
    if (!continuity.enabled) return undefined
    if (event.kind === 'compaction-started') return event.subagent === undefined ? advise(session, maxChars) : undefined
    const recovery = await recovering.owed(session, event, maxChars)
    if (recovery !== undefined || event.kind !== 'prompt-submitted') return recovery
    return memories.forPrompt(session, event, maxChars)
  }

  return {
    ...queries,
    ...maintenance,
    stats: receipts.stats,
    sessionReceipts: receipts.sessionReceipts,
    ledger: receipts.ledger,
    remember: memories.remember,
    recall: memories.recall,
    listMemories: memories.listMemories,
    forget: memories.forget,
    recordAll,
    async record(event) {
      const [recorded] = await recordAll([event])
      if (recorded === undefined) throw new HoldfastError('internal', `The store gave no answer for event ${event.id}.`)
      return recorded
    },
    inject,
    confirmInjection: receipts.confirmInjection,
    checkpoint: composing.checkpoint,
    ...createMoving(deps, announce),
    previewRecovery: recovering.preview,
    recoverUnkept: recovering.unkept,
    readTranscript: keeper.readFor,
    drain: composing.drain,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
