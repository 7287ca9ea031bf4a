import type { Continuity } from './continuity.ts'
import type { RecordResult } from '../capture/use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionEvent } from '../kernel/event.ts'
import { toSessionId } from '../kernel/id.ts'
import type { Checkpoint } from '../kernel/checkpoint.ts'
import type { Announcement } from '../kernel/ports/ports.ts'
import { createCheckpointer } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { createInject, type InjectionSources } from '../injection/injection-policy.ts'
import { createContextSource } from '../injection/context-source.ts'
import type { StartNotice } from '../injection/start-notice.ts'
import { createRecoverySource } from '../injection/recovery-source.ts'
import { createMaintenance, type Maintenance } from './maintenance.ts'
import { createTransfer } from '../transfer/use-cases.ts'
import { createStartOutcomes } from '../outcomes/start-outcomes.ts'
import { createTokenUsage } from '../outcomes/token-usage.ts'
import { createOnEvent, type EventSubscribers } from '../capture/on-event.ts'
import { createRecordEvents } from '../capture/record-events.ts'
import { createHindsight } from '../recovery/hindsight.ts'
import { createTeamWork } from '../recovery/choice/team-work.ts'
import { createSessionRecovery } from '../recovery/recover-session.ts'
import { createProjectMemory } from '../memory/memories.ts'
import { createSessionQueries } from '../capture/session-queries.ts'
import { createCheckpointQueries } from '../checkpoint/use-cases.ts'
import { createExplain } from '../injection/explain.ts'
import { createCompactionHintRequest } from '../recovery/compaction-hint.ts'
import { createRuleWarning } from '../rules/rule-warning.ts'
import { createProjectRules } from '../rules/project-rules.ts'
import { createArchive } from '../find/archive.ts'
import { createErase } from '../find/erase.ts'
import { createFind } from '../find/find.ts'
import { createTeamOverview } from '../find/team-overview.ts'
import { createWorkTracker } from '../checkpoint/work-tracker.ts'

/** The use cases, and the functions that the daemon needs for its housekeeping. */
export interface ContinuityApp extends Continuity, Maintenance {
  /** Records an event that one of our own use cases wrote for an agent. Autosave and governed tasks are not notified. */
  recordNote(event: SessionEvent): Promise<RecordResult>
  /**
   * The recovery text for a start that the store can read for but not write. The session is still owed a recovery once the start is
   * stored. Empty when nothing is known.
   */
  recoverUnrecorded(event: SessionEvent, maxChars: number): Promise<string>
  /** The checkpoint of the work in `cwd` that a command without a session refers to; undefined if none is known. */
  findWork(cwd: string): Promise<Checkpoint | undefined>
  /** Stores what the session's transcript says up to this event. A no-op for an unknown session. */
  readTranscript(event: SessionEvent): Promise<void>
  /** Takes the checkpoints that are waiting; resolves when nothing is under way. */
  drain(): Promise<void>
  /** Called after something is durable. Returns a function that unsubscribes. */
  subscribe(listener: (announcement: Announcement) => void): () => void
}

/** Parts that the daemon adds to the event pipeline and the injection policy. */
export interface ContinuityExtensions {
  readonly subscribers?: EventSubscribers
  readonly sources?: InjectionSources
  /** Comes beside the recovery. */
  readonly startNotice?: StartNotice
}

export function createContinuity(
  outside: ContinuityPorts,
  { subscribers, sources, startNotice }: ContinuityExtensions = {},
): ContinuityApp {
  const rules = createProjectRules(outside)
  const ports: ContinuityPorts = { ...outside, activeRules: (projectId) => rules.listActive(projectId) }
  const listeners = new Set<(announcement: Announcement) => void>()
  const announce = (announcement: Announcement) => {
    for (const listener of listeners) listener(announcement)
  }

  const onEvent = createOnEvent({
    announcement: (event, { seq, session }) =>
      announce({ seq, kind: 'event', sessionId: session.id, detail: event.kind }),
    'failure-memory': (event, result) => negative.onEvent(event, result),
    rules: rules.onEvent,
    checkpoint: (_, result) => checkpointer.runEffects(result),
    'recovery-preparation': (event, result) => recoverySource.prepare(event, result),
    ...subscribers,
  })
  const archive = createArchive(ports)
  const recordEvents = createRecordEvents(ports, onEvent)
  const tracker = createWorkTracker(ports, recordEvents)
  const checkpointer = createCheckpointer(ports, tracker, announce)
  const queries = createSessionQueries(ports)
  const outcomes = createStartOutcomes(ports, announce, queries.getSession)
  const recovery = createSessionRecovery(ports, checkpointer)
  const { memories, failures: negative } = createProjectMemory(ports, recordEvents, announce)
  listeners.add(negative.onAnnouncement)
  const recoverySource = createRecoverySource(ports, recovery, negative)
  const warnOfRule = createRuleWarning(ports, rules)
  const transfer = createTransfer(ports, announce)
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
    ...createMaintenance(ports, checkpointer, outcomes, archive),
    ...createFind(ports, archive),
    ...createErase(ports, queries.getSession),
    ...createTeamWork(ports, queries.getSession),
    ...createTeamOverview(ports),
    ...outcomes,
    tokenUsage: createTokenUsage(ports),
    ...memories,
    ...transfer,
    async importHistory(batch) {
      const answer = await transfer.importHistory(batch)
      if (batch.isLast && answer.kept > 0) await rules.readSession(toSessionId(batch.harness, batch.sessionKey))
      return answer
    },
    listRules: (query) => rules.listRules(query),
    addRule: (input) => rules.addRule(input),
    changeRule: (input) => rules.changeRule(input),
    record: (event) => recordOne(event, 'report'),
    recordNote: (event) => recordOne(event, 'note'),
    recordAll: (events) => recordEvents(events, 'report'),
    inject: createInject(ports, {
      'failure-warning': ({ session, event, maxChars }) =>
        event.kind === 'tool-started' || event.kind === 'tool-finished'
          ? negative.beforeTool(session, event, maxChars)
          : undefined,
      'rule-warning': ({ session, event, maxChars }) =>
        event.kind === 'tool-started' ? warnOfRule(session, event, maxChars) : undefined,
      'late-recovery': recoverySource.offerLate,
      'compaction-hint': ({ session, event, maxChars }) =>
        event.subagent === undefined ? requestHint(session, maxChars) : undefined,
      context: createContextSource(recoverySource.offer, memories, startNotice),
      ...sources,
    }),
    checkpoint: checkpointer.checkpoint,
    previewRecovery: recovery.preview,
    recoverUnrecorded: recovery.recoverUnrecorded,
    findWork: recovery.findWork,
    hindsight: createHindsight(ports),
    readTranscript: tracker.readFor,
    async drain() {
      await checkpointer.drain()
      await negative.drain()
      await rules.drain()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
