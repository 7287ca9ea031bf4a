import type { Continuity } from './continuity.ts'
import type { Recorded } from '../capture/use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { type SessionEvent, sessionIdOfEvent } from '../kernel/event.ts'
import type { Announcement, Appended } from '../kernel/ports/ports.ts'
import { createComposing } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import { createInjecting } from '../injection/injection-policy.ts'
import { createMaintenance, type Maintenance } from './maintenance.ts'
import { createTransfer } from '../transfer/use-cases.ts'
import { createReceipts } from '../outcomes/start-outcomes.ts'
import { createRecording } from '../capture/record-events.ts'
import { createRecovering } from '../recovery/recover-session.ts'
import { createRemembering } from '../memory/memory-use-cases.ts'
import { createSessionQueries } from '../capture/session-queries.ts'
import { createCheckpointQueries } from '../checkpoint/checkpoint-queries.ts'
import { createExplain } from '../injection/explain.ts'
import { createWorkKeeper } from '../checkpoint/work-tracker.ts'

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

export function createContinuity(deps: ContinuityDeps): ContinuityEngine {
  const listeners = new Set<(announcement: Announcement) => void>()
  const announce = (announcement: Announcement) => {
    for (const listener of listeners) listener(announcement)
  }

  function tell(appended: Appended, event: SessionEvent): void {
    announce({ seq: appended.seq, kind: 'event', sessionId: sessionIdOfEvent(event), detail: event.kind })
    negative.heard(event, appended)
  }

  const recording = createRecording(deps, tell, (appended) => composing.follow(appended))
  const keeper = createWorkKeeper(deps, recording)
  const composing = createComposing(deps, keeper, announce)
  const queries = createSessionQueries(deps)
  const receipts = createReceipts(deps, announce, queries.getSession)
  const recovering = createRecovering(deps, composing, receipts)
  const { memories, negative } = createRemembering(deps, recording, announce)
  listeners.add(negative.follow)
  const injecting = createInjecting(deps, { composing, recovering, memories, negative })
  const maintenance = createMaintenance(deps, composing, receipts)

  async function recordAll(events: readonly SessionEvent[]): Promise<readonly Recorded[]> {
    const recorded = await recording.recordAll(events)
    recorded.forEach((result, index) => {
      const event = events[index]
      if (event !== undefined) injecting.prepareRecovery(event, result)
    })
    return recorded
  }

  return {
    ...queries,
    ...createCheckpointQueries(deps),
    ...createExplain(deps, { getSession: queries.getSession, considered: memories.considered }),
    ...maintenance,
    ...receipts,
    ...memories,
    recordAll,
    async record(event) {
      const [recorded] = await recordAll([event])
      if (recorded === undefined) throw new HoldfastError('internal', `The store gave no answer for event ${event.id}.`)
      return recorded
    },
    inject: injecting.inject,
    checkpoint: composing.checkpoint,
    ...createTransfer(deps, announce),
    previewRecovery: recovering.preview,
    recoverUnkept: recovering.unkept,
    readTranscript: keeper.readFor,
    async drain() {
      await composing.drain()
      await negative.drain()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
