import type { Continuity } from './continuity.ts'
import type { RecordResult } from '../capture/use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { Announcement } from '../kernel/ports/ports.ts'
import { createCheckpointer } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { createInject, type InjectionSources } from '../injection/injection-policy.ts'
import { createRecoverySource } from '../injection/recovery-source.ts'
import { createMaintenance, type Maintenance } from './maintenance.ts'
import { createTransfer } from '../transfer/use-cases.ts'
import { createStartOutcomes } from '../outcomes/start-outcomes.ts'
import { createOnEvent, type EventSubscribers } from '../capture/on-event.ts'
import { createRecordEvents } from '../capture/record-events.ts'
import { createSessionRecovery } from '../recovery/recover-session.ts'
import { createProjectMemory } from '../memory/memories.ts'
import { createSessionQueries } from '../capture/session-queries.ts'
import { createCheckpointQueries } from '../checkpoint/use-cases.ts'
import { createExplain } from '../injection/explain.ts'
import { createCompactionHintRequest } from '../recovery/compaction-hint.ts'
import { createWorkTracker } from '../checkpoint/work-tracker.ts'

/** The use cases, and what the daemon needs beside them for its housekeeping. */
export interface ContinuityApp extends Continuity, Maintenance {
  /** Records what one of our own use cases wrote for an agent. Autosave and governed tasks do not follow it. */
  recordNote(event: SessionEvent): Promise<RecordResult>
  /**
   * The recovery text for a start that the store can read for but not write. The session is still owed a recovery once the start is
   * stored. Empty when nothing is known.
   */
  recoverUnrecorded(event: SessionEvent, maxChars: number): Promise<string>
  /** Stores what the session's transcript says up to this event. A no-op for an unknown session. */
  readTranscript(event: SessionEvent): Promise<void>
  /** Takes the checkpoints that are waiting; resolves when nothing is under way. */
  drain(): Promise<void>
  /** Called after something is durable. Returns a function that unsubscribes. */
  subscribe(listener: (announcement: Announcement) => void): () => void
}

/** What the daemon wires into the event pipeline and the injection policy beside the app's own parts. */
export interface ContinuityExtensions {
  readonly subscribers?: EventSubscribers
  readonly sources?: InjectionSources
}

export function createContinuity(
  ports: ContinuityPorts,
  { subscribers, sources }: ContinuityExtensions = {},
): ContinuityApp {
  const listeners = new Set<(announcement: Announcement) => void>()
  const announce = (announcement: Announcement) => {
    for (const listener of listeners) listener(announcement)
  }

  const onEvent = createOnEvent({
    announcement: (event, { seq, session }) =>
      announce({ seq, kind: 'event', sessionId: session.id, detail: event.kind }),
    'failure-memory': (event, result) => negative.onEvent(event, result),
    checkpoint: (_, result) => checkpointer.runEffects(result),
    'recovery-preparation': (event, result) => recoverySource.prepare(event, result),
    ...subscribers,
  })
  const recordEvents = createRecordEvents(ports, onEvent)
  const tracker = createWorkTracker(ports, recordEvents)
  const checkpointer = createCheckpointer(ports, tracker, announce)
  const queries = createSessionQueries(ports)
  const outcomes = createStartOutcomes(ports, announce, queries.getSession)
  const recovery = createSessionRecovery(ports, checkpointer)
  const { memories, failures: negative } = createProjectMemory(ports, recordEvents, announce)
  listeners.add(negative.onAnnouncement)
  const recoverySource = createRecoverySource(ports, recovery, negative)
  const requestHint = createCompactionHintRequest(ports, checkpointer)

  async function recordOne(event: SessionEvent, origin: 'report' | 'note'): Promise<RecordResult> {
    const [recorded] = await recordEvents([event], origin)
    if (recorded === undefined) throw new HoldfastError('internal', `The store gave no answer for event ${event.id}.`)
    return recorded
  }

  return {
    ...queries,
    ...createCheckpointQueries(ports),
    ...createExplain(ports, { getSession: queries.getSession, considered: memories.listConsidered }),
    ...createMaintenance(ports, checkpointer, outcomes),
    ...outcomes,
    ...memories,
    ...createTransfer(ports, announce),
    record: (event) => recordOne(event, 'report'),
    recordNote: (event) => recordOne(event, 'note'),
    recordAll: (events) => recordEvents(events, 'report'),
    inject: createInject(ports, {
      'failure-warning': ({ session, event, maxChars }) =>
        event.kind === 'tool-started' || event.kind === 'tool-finished'
          ? negative.beforeTool(session, event, maxChars)
          : undefined,
      'late-recovery': recoverySource.offerLate,
      'compaction-hint': ({ session, event, maxChars }) =>
        event.subagent === undefined ? requestHint(session, maxChars) : undefined,
      recovery: recoverySource.offer,
      memories: ({ session, event, maxChars }) =>
        event.kind === 'prompt-submitted' ? memories.forPrompt(session, event, maxChars) : undefined,
      ...sources,
    }),
    checkpoint: checkpointer.checkpoint,
    previewRecovery: recovery.preview,
    recoverUnrecorded: recovery.recoverUnrecorded,
    readTranscript: tracker.readFor,
    async drain() {
      await checkpointer.drain()
      await negative.drain()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
