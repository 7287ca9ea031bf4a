import type { CheckpointTrigger } from './checkpoint.ts'
import type { EndReason, EventKind, ProcessRef, SessionEvent, StartSource } from './event.ts'
import { type SessionId, type SessionKey, sessionIdOf } from './id.ts'
import type { MachineRef } from './machine.ts'
import type { Place } from './project.ts'

/** idle: waiting for the user. working: a turn is under way. interrupted: its process died without saying goodbye. */
export const PHASES = ['idle', 'working', 'compacting', 'ended', 'interrupted'] as const
export type Phase = (typeof PHASES)[number]

export interface Session {
  readonly id: SessionId
  readonly key: SessionKey
  readonly harness: string
  readonly harnessVersion?: string
  /** Absent until an event told a working directory. */
  readonly place?: Place
  readonly cwd?: string
  readonly transcriptPath?: string
  readonly phase: Phase
  readonly source?: StartSource
  readonly model?: string
  readonly process?: ProcessRef
  /** The machine that its process is on; absent when nobody noted it. */
  readonly machine?: MachineRef
  readonly previousSessionKey?: SessionKey
  /** The session this one goes on from, of whichever harness: the one named at its start, or the one whose work it was told. */
  readonly continues?: SessionId
  /** The start at which it came into the project that it is in, where it had begun in another one. */
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
  /** How many tokens fit into its context, where the harness said so. */
  readonly contextWindowTokens?: number
  /** Counts starts, resumes and compactions: recovery is injected once per epoch. */
  readonly epoch: number
  /** The newest epoch that got its recovery; `epoch` larger means one is owed. */
  readonly recoveredEpoch: number
}

/** What has to happen because of an event, beyond keeping it. */
export type Effect =
  | { readonly kind: 'checkpoint'; readonly trigger: CheckpointTrigger; readonly isUrgent: boolean }
  /** Look at what the transcript says beyond the hooks, once the harness has had time to write it. */
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
  readonly place?: Place
  readonly machine?: MachineRef
  readonly cadence: CadenceConfig
}

function newSession(event: SessionEvent): Session {
  return {
    id: sessionIdOf(event.harness, event.sessionKey),
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

/** The phase after an event. An event from a session we thought over re-opens it: the harness knows better than we do. */
function nextPhase(phase: Phase, event: SessionEvent): Phase {
  switch (event.kind) {
    case 'session-started':
      return event.source === 'compact' ? 'working' : 'idle'
    case 'prompt-submitted':
    case 'tool-started':
    case 'subagent-started':
      return 'working'
    // Late by nature (asynchronous hooks, transcript catch-up): they tell of work, not that it goes on now.
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

/** Whether enough was said, or enough time passed, since the last checkpoint. */
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

function effectsOf(session: Session, event: SessionEvent, cadence: CadenceConfig): readonly Effect[] {
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
 * A session stays where it began: an agent that changes directory into another checkout does not move there, and neither does one
 * whose repository another one took the place of.
 */
function placeOf(known: Session, event: SessionEvent, located: Place | undefined): Place | undefined {
  if (located === undefined || known.place === undefined) return located ?? known.place
  const isSame = located.worktree === known.place.worktree && located.projectId === known.place.projectId
  return event.kind === 'session-started' || isSame ? located : known.place
}

function namedBefore(event: SessionEvent): SessionId | undefined {
  if (event.kind !== 'session-started' || event.previousSessionKey === undefined) return undefined
  return event.previousSessionKey === event.sessionKey
    ? undefined
    : sessionIdOf(event.harness, event.previousSessionKey)
}

/** What a harness says with its hooks; a compaction that tells what is left has emptied it. */
function contextOf(known: Session, event: SessionEvent): Pick<Session, 'contextTokens' | 'contextWindowTokens'> {
  const left = event.kind === 'compaction-finished' ? event.tokensAfter : undefined
  const { contextTokens, contextWindowTokens } = known
  return {
    contextTokens: event.context?.tokens ?? left ?? contextTokens,
    contextWindowTokens: event.context?.windowTokens ?? contextWindowTokens,
  }
}

/** The whole decision about one new event: the session as it is now, and what follows from it. */
export function advance(before: Session | undefined, event: SessionEvent, context: AdvanceContext): Step {
  const known = before ?? newSession(event)
  const isMainThread = event.subagent === undefined
  const isPrompt = event.kind === 'prompt-submitted' && isMainThread
  // A transcript tells of the past, however late it is read: it adds work and moves no phase.
  const phase = isMainThread && event.door !== 'transcript' ? nextPhase(known.phase, event) : known.phase
  const isOver = phase === 'ended' || phase === 'interrupted'
  const { contextTokens, contextWindowTokens } = isMainThread ? contextOf(known, event) : known
  const start = event.kind === 'session-started' ? event : undefined
  // What is said about a session may be said on another machine; what its own process says is said where it runs.
  const isFromProcess = start !== undefined || event.process !== undefined
  const place = placeOf(known, event, context.place)
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
    hasNewWork: known.hasNewWork || WORK.has(event.kind),
    lastCheckpointAt: known.lastCheckpointAt,
    contextTokens,
    contextWindowTokens,
    epoch: known.epoch + (start === undefined ? 0 : 1),
    recoveredEpoch: known.recoveredEpoch,
    // Every field by its name: a session that is spread and then grows takes fifty times as long, for every event there is.
  } satisfies Record<keyof Session, unknown>
  return { session, effects: effectsOf(session, event, context.cadence) }
}

/** Whether something was put before the agent in the project that its session is in now, and not in one that it was in before. */
export function isOfPresentProject({ at }: { readonly at: string }, { projectSince }: Session): boolean {
  return projectSince === undefined || at >= projectSince.at
}

/** The session once it was told a recovery that was made from these sessions, the one that speaks first. */
export function afterRecovery(session: Session, epoch: number, toldFrom: readonly SessionId[]): Session {
  return {
    ...session,
    recoveredEpoch: Math.max(session.recoveredEpoch, epoch),
    continues: toldFrom.find((id) => id !== session.id) ?? session.continues,
  }
}

/** The session once a checkpoint of it is kept. */
export function afterCheckpoint(session: Session, createdAt: string, eventSeq: number): Session {
  return {
    ...session,
    promptsSinceCheckpoint: 0,
    hasNewWork: session.lastEventSeq > eventSeq && session.hasNewWork,
    lastCheckpointAt: createdAt,
  }
}
