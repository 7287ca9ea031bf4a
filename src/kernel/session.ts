import type { CheckpointTrigger } from './checkpoint.ts'
import type { EndReason, EventKind, ProcessRef, SessionEvent, StartSource } from './event.ts'
import { type SessionId, type SessionKey, toSessionId } from './id.ts'
import type { Location, MachineRef, Origin } from './location.ts'

/** Maps each session to the first session of its lineage, as far back as these sessions go. */
export function findLineages(
  sessions: readonly Pick<Session, 'id' | 'continues'>[],
): ReadonlyMap<SessionId, SessionId> {
  const before = new Map(sessions.map(({ id, continues }) => [id, continues]))
  const findFirst = (id: SessionId): SessionId => {
    const line = [id]
    for (let next = before.get(id); next !== undefined; next = before.get(next)) {
      // Two sessions that continue each other form a cycle: choose one deterministically.
      if (line.includes(next)) return line.slice(line.indexOf(next)).toSorted()[0] ?? next
      line.push(next)
    }
    return line.at(-1) ?? id
  }
  return new Map(sessions.map(({ id }) => [id, findFirst(id)]))
}

/** idle: waiting for the user. working: a turn is under way. interrupted: its process died without an end event. */
export const PHASES = ['idle', 'working', 'compacting', 'ended', 'interrupted'] as const
export type Phase = (typeof PHASES)[number]

/** What the user added to a session. */
export interface SessionLabels {
  readonly title?: string
  readonly tags: readonly string[]
  readonly isPinned: boolean
  /** The members of the team may see its work and take it over. */
  readonly isShared?: boolean
  /** An archived session is left out of lists; everything of it stays. */
  readonly archivedAt?: string
}

export interface Session {
  readonly id: SessionId
  readonly key: SessionKey
  readonly harness: string
  readonly harnessVersion?: string
  /** Absent until an event had a working directory. */
  readonly place?: Location
  readonly cwd?: string
  readonly transcriptPath?: string
  readonly phase: Phase
  readonly source?: StartSource
  readonly model?: string
  readonly process?: ProcessRef
  /** The machine that its process runs on; absent if unknown. */
  readonly machine?: MachineRef
  /** Absent: a session of this home, or of a machine that shares its store. */
  readonly origin?: Origin
  readonly previousSessionKey?: SessionKey
  /** The session this one continues, of any harness: the one named at its start, or the one its recovery came from. */
  readonly continues?: SessionId
  /** The start at which it moved to its present project; absent if it began there. */
  readonly projectSince?: { readonly seq: number; readonly at: string }
  readonly startedAt: string
  readonly lastEventAt: string
  readonly lastEventSeq: number
  readonly endedAt?: string
  readonly endReason?: EndReason
  readonly promptCount: number
  readonly toolCount: number
  readonly compactionCount: number
  readonly promptsSinceCheckpoint: number
  /** Whether anything worth a checkpoint happened since the last one. */
  readonly hasNewWork: boolean
  readonly lastCheckpointAt?: string
  readonly contextTokens?: number
  /** Context window, if the harness reports it. */
  readonly contextWindowTokens?: number
  /** Counts starts, resumes and compactions: recovery is injected once per epoch. */
  readonly epoch: number
  /** The newest epoch that got its recovery; a larger `epoch` means that one is owed. */
  readonly recoveredEpoch: number
  readonly labels?: SessionLabels
}

/** Effects of an event besides storing it. */
export type Effect =
  | { readonly kind: 'checkpoint'; readonly trigger: CheckpointTrigger; readonly isUrgent: boolean }
  /** Read what the transcript has beyond the hooks, once the harness has had time to write it. */
  | { readonly kind: 'read-transcript' }
  | { readonly kind: 'close-session' }

export interface Step {
  readonly session: Session
  readonly effects: readonly Effect[]
}

export interface CadenceConfig {
  readonly promptInterval: number
  readonly timeIntervalMs: number
}

export interface AdvanceContext {
  readonly seq: number
  readonly location?: Location
  readonly machine?: MachineRef
  readonly cadence: CadenceConfig
}

function newSession(event: SessionEvent): Session {
  return {
    id: toSessionId(event.harness, event.sessionKey),
    key: event.sessionKey,
    harness: event.harness,
    phase: 'idle',
    startedAt: event.at,
    lastEventAt: event.at,
    lastEventSeq: 0,
    promptCount: 0,
    toolCount: 0,
    compactionCount: 0,
    promptsSinceCheckpoint: 0,
    hasNewWork: false,
    epoch: 0,
    recoveredEpoch: 0,
  }
}

const WORK: ReadonlySet<EventKind> = new Set<EventKind>([
  'prompt-submitted',
  'tool-finished',
  'turn-ended',
  'compaction-finished',
  'digest-written',
  'remembered',
  'gate-changed',
  'decision-made',
  'error-recovered',
])

function isWork(event: SessionEvent): boolean {
  if (event.kind !== 'compaction-started') return WORK.has(event.kind)
  return event.instructions !== undefined || event.sessionContext !== undefined
}

/** The phase after an event. An event of a session that was considered over reopens it. */
function nextPhase(phase: Phase, event: SessionEvent): Phase {
  switch (event.kind) {
    case 'session-started':
      return event.source === 'compact' ? 'working' : 'idle'
    case 'prompt-submitted':
    case 'tool-started':
    case 'subagent-started':
      return 'working'
    // May arrive late (asynchronous hooks, transcript reads): not a sign that the session is working now.
    case 'tool-finished':
    case 'subagent-finished':
      return phase === 'ended' || phase === 'interrupted' ? phase : phase === 'compacting' ? phase : 'working'
    case 'turn-ended':
      return phase === 'ended' || phase === 'interrupted' ? phase : 'idle'
    case 'compaction-started':
      return 'compacting'
    case 'compaction-finished':
      return phase === 'compacting' ? 'working' : phase
    case 'session-ended':
      return 'ended'
    case 'digest-written':
    case 'remembered':
    case 'gate-changed':
    case 'task-session-changed':
    case 'decision-made':
    case 'error-recovered':
      return phase
  }
}

/** Whether enough prompts or enough time passed since the last checkpoint. */
export function isPeriodicDue(session: Session, now: string, cadence: CadenceConfig): boolean {
  if (!session.hasNewWork) return false
  if (session.promptsSinceCheckpoint >= cadence.promptInterval) return true
  const since = session.lastCheckpointAt ?? session.startedAt
  return Date.parse(now) - Date.parse(since) >= cadence.timeIntervalMs
}

function periodicIfDue(session: Session, event: SessionEvent, cadence: CadenceConfig): readonly Effect[] {
  const isDue = isPeriodicDue(session, event.at, cadence)
  return isDue ? [{ kind: 'checkpoint', trigger: 'periodic', isUrgent: false }] : []
}

function listEffects(session: Session, event: SessionEvent, cadence: CadenceConfig): readonly Effect[] {
  switch (event.kind) {
    case 'compaction-started':
      return [{ kind: 'checkpoint', trigger: 'pre_compaction', isUrgent: true }]
    case 'session-ended':
      return [{ kind: 'checkpoint', trigger: 'session_end', isUrgent: true }, { kind: 'close-session' }]
    case 'digest-written':
      return [{ kind: 'checkpoint', trigger: event.name === undefined ? 'agent' : 'explicit', isUrgent: true }]
    case 'gate-changed':
      return [{ kind: 'checkpoint', trigger: 'gate_transition', isUrgent: true }]
    case 'decision-made':
      return [{ kind: 'checkpoint', trigger: 'decision', isUrgent: false }]
    case 'error-recovered':
      return [{ kind: 'checkpoint', trigger: 'error_recovery', isUrgent: false }]
    case 'turn-ended':
    case 'compaction-finished':
      return [...periodicIfDue(session, event, cadence), { kind: 'read-transcript' }]
    case 'prompt-submitted':
    case 'tool-started':
    case 'tool-finished':
    case 'subagent-started':
    case 'subagent-finished':
    case 'remembered':
    case 'task-session-changed':
    case 'session-started':
      return periodicIfDue(session, event, cadence)
  }
}

/**
 * A session stays where it began: neither an agent that changes directory into another checkout moves there, nor one
 * whose repository was replaced by another.
 */
function resolveLocation(known: Session, event: SessionEvent, located: Location | undefined): Location | undefined {
  if (located === undefined || known.place === undefined) return located ?? known.place
  const isSame = located.worktree === known.place.worktree && located.projectId === known.place.projectId
  return event.kind === 'session-started' || isSame ? located : known.place
}

function namedBefore(event: SessionEvent): SessionId | undefined {
  if (event.kind !== 'session-started' || event.previousSessionKey === undefined) return undefined
  return event.previousSessionKey === event.sessionKey
    ? undefined
    : toSessionId(event.harness, event.previousSessionKey)
}

/** As the harness reports it with its hooks; after a compaction, the tokens that are left. */
function measureContext(known: Session, event: SessionEvent): Pick<Session, 'contextTokens' | 'contextWindowTokens'> {
  const { contextTokens, contextWindowTokens } = known
  // What was measured before a compaction says nothing about the context after it.
  const left = event.kind === 'compaction-finished' ? event.tokensAfter : contextTokens
  return {
    contextTokens: event.context?.tokens ?? left,
    contextWindowTokens: event.context?.windowTokens ?? contextWindowTokens,
  }
}

/** The whole decision about one new event: the session after it, and its effects. */
export function advance(before: Session | undefined, event: SessionEvent, context: AdvanceContext): Step {
  const known = before ?? newSession(event)
  const isMainThread = event.subagent === undefined
  const isPrompt = event.kind === 'prompt-submitted' && isMainThread
  // A transcript is about the past, however late it is read: it adds work and changes no phase.
  const phase = isMainThread && event.door !== 'transcript' ? nextPhase(known.phase, event) : known.phase
  const isOver = phase === 'ended' || phase === 'interrupted'
  const { contextTokens, contextWindowTokens } = isMainThread ? measureContext(known, event) : known
  const start = event.kind === 'session-started' ? event : undefined
  // An event about a session may come from another machine; an event of its own process comes from where it runs.
  const isFromProcess = start !== undefined || event.process !== undefined
  const place = resolveLocation(known, event, context.location)
  const hasChangedProject = known.place !== undefined && known.place.projectId !== place?.projectId
  const session = {
    id: known.id,
    key: known.key,
    harness: known.harness,
    harnessVersion: event.harnessVersion ?? known.harnessVersion,
    place,
    cwd: event.cwd ?? known.cwd,
    transcriptPath: isMainThread ? (event.transcriptPath ?? known.transcriptPath) : known.transcriptPath,
    phase,
    source: start === undefined ? known.source : start.source,
    model: start?.model ?? known.model,
    process: event.process ?? known.process,
    machine: isFromProcess ? (context.machine ?? known.machine) : (known.machine ?? context.machine),
    origin: known.origin,
    previousSessionKey: start?.previousSessionKey ?? known.previousSessionKey,
    continues: namedBefore(event) ?? known.continues,
    projectSince: hasChangedProject ? { seq: context.seq, at: event.at } : known.projectSince,
    startedAt: known.startedAt,
    lastEventAt: event.at > known.lastEventAt ? event.at : known.lastEventAt,
    lastEventSeq: context.seq,
    endedAt: event.kind === 'session-ended' ? event.at : isOver ? known.endedAt : undefined,
    endReason: event.kind === 'session-ended' ? event.reason : isOver ? known.endReason : undefined,
    promptCount: known.promptCount + (isPrompt ? 1 : 0),
    toolCount: known.toolCount + (event.kind === 'tool-finished' ? 1 : 0),
    compactionCount: known.compactionCount + (event.kind === 'compaction-finished' ? 1 : 0),
    promptsSinceCheckpoint: known.promptsSinceCheckpoint + (isPrompt ? 1 : 0),
    hasNewWork: known.hasNewWork || isWork(event),
    lastCheckpointAt: known.lastCheckpointAt,
    contextTokens,
    contextWindowTokens,
    epoch: known.epoch + (start === undefined ? 0 : 1),
    recoveredEpoch: known.recoveredEpoch,
    labels: known.labels,
    // Every field by its name: a spread session that then grows takes fifty times as long, for every event.
  } satisfies Record<keyof Session, unknown>
  return { session, effects: listEffects(session, event, context.cadence) }
}

/** Whether it was injected while the session was in its present project. */
export function isFromPresentProject({ at }: { readonly at: string }, { projectSince }: Session): boolean {
  return projectSince === undefined || at >= projectSince.at
}

/** The session after a recovery from these sessions was injected, the main source first. */
export function afterRecovery(session: Session, epoch: number, recoveredFrom: readonly SessionId[]): Session {
  return {
    ...session,
    recoveredEpoch: Math.max(session.recoveredEpoch, epoch),
    continues: recoveredFrom.find((id) => id !== session.id) ?? session.continues,
  }
}

/** The session after a checkpoint of it was stored. */
export function afterCheckpoint(session: Session, createdAt: string, eventSeq: number): Session {
  return {
    ...session,
    promptsSinceCheckpoint: 0,
    hasNewWork: session.lastEventSeq > eventSeq && session.hasNewWork,
    lastCheckpointAt: createdAt,
  }
}
