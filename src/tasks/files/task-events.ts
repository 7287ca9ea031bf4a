import { isLive, isOrphan } from '../../kernel/ports/liveness.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { ProcessRef, SessionEvent } from '../../kernel/event.ts'
import { EventId, SessionKey } from '../../kernel/id.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { Session } from '../../kernel/session.ts'
import { type TaskPorts } from './task-ports.ts'
import { sha256 } from '../../platform/base/crypto.ts'

/** The harness id of task sessions that have no harness. */
export const HOLDFAST_HARNESS = 'holdfast'

export interface EventSource {
  readonly harness: string
  readonly sessionKey: SessionKey
}

/** The session of the event log that a task session's events belong to: the harness's, else one of our own. */
export function getEventSource(session: Pick<TaskSession, 'session_id' | 'harness_session'>): EventSource {
  const [harness, ...key] = (session.harness_session ?? '').split('/')
  return harness === undefined || harness === '' || key.length === 0
    ? { harness: HOLDFAST_HARNESS, sessionKey: SessionKey(session.session_id) }
    : { harness, sessionKey: SessionKey(key.join('/')) }
}

interface EventContext {
  readonly at: string
  readonly cwd: string
  readonly ports: Pick<TaskPorts, 'entryPoint'>
}

function createEventBase(source: EventSource, id: string, { at, cwd, ports }: EventContext) {
  return { id: EventId(id), ...source, at, door: ports.entryPoint, cwd } as const
}

/** Start and end events of a session without a harness, so that its lifecycle is in the log like any other. */
export function createLifecycleEvents(
  session: TaskSession,
  what: 'started' | 'ended',
  context: EventContext & { readonly process?: ProcessRef | undefined },
): readonly SessionEvent[] {
  const source = getEventSource(session)
  if (source.harness !== HOLDFAST_HARNESS) return []
  const id = `${session.session_id}/${what}/${session.transitions.length}`
  if (what === 'ended') return [{ ...createEventBase(source, id, context), kind: 'session-ended', reason: 'exit' }]
  const { process } = context
  const startSource = session.transitions.length > 1 ? 'resume' : 'startup'
  return [
    {
      ...createEventBase(source, id, context),
      kind: 'session-started',
      source: startSource,
      ...(process !== undefined && { process }),
    },
  ]
}

export function createStateEvent(
  session: TaskSession,
  context: EventContext & { readonly process?: ProcessRef | undefined },
): SessionEvent {
  const reason = session.transitions.at(-1)?.reason
  const { process } = context
  return {
    ...createEventBase(getEventSource(session), `${session.session_id}/state/${session.transitions.length}`, context),
    kind: 'task-session-changed',
    task: session.task_slug,
    taskSession: session.session_id,
    state: session.state,
    gate: session.current_gate,
    ...(reason !== undefined && { reason }),
    ...(process !== undefined && { process }),
  }
}

/** The id has the minute, so at most one per minute is stored. */
export function createHeartbeatEvent(
  session: TaskSession,
  context: EventContext & { readonly process?: ProcessRef },
): SessionEvent {
  const { process } = context
  return {
    ...createEventBase(getEventSource(session), `${session.session_id}/alive/${context.at.slice(0, 16)}`, context),
    kind: 'task-session-changed',
    task: session.task_slug,
    taskSession: session.session_id,
    state: session.state,
    gate: session.current_gate,
    reason: 'heartbeat',
    ...(process !== undefined && { process }),
  }
}

/** Summaries that a ritual generates. They must not replace the agent's own words. */
const GENERATED_SUMMARY = /^(?:Session ended \((?:success|partial|failed|failure)\): |Emergency stop: )/

/** Prefix of the summaries that a supervisor generates. */
export const SUPERVISED_PREFIX = 'Supervised run: '

function isGenerated(summary: string): boolean {
  return GENERATED_SUMMARY.test(summary) || summary.startsWith(SUPERVISED_PREFIX)
}

/** The source of events that belong to no session. Two checkouts may have tasks of the same name, hence the hash. */
function createTaskSource(slug: string, worktree: string): EventSource {
  return { harness: HOLDFAST_HARNESS, sessionKey: SessionKey(`task-${slug}-${sha256(worktree).slice(0, 8)}`) }
}

/** Ends the session that stands for the task itself, which no process runs; later events do not reopen it. */
function endAfterwards(
  source: EventSource,
  events: readonly SessionEvent[],
  context: EventContext,
): readonly SessionEvent[] {
  if (events.length === 0) return events
  return [
    ...events,
    { ...createEventBase(source, `${source.sessionKey}/over`, context), kind: 'session-ended', reason: 'other' },
  ]
}

/** The events of a checkpoint. Their ids derive from the checkpoint's id, so recording them again adds nothing. */
export function createCheckpointEvents(
  checkpoint: TaskCheckpoint,
  session: TaskSession | undefined,
  context: EventContext & { readonly from?: string | undefined },
): readonly SessionEvent[] {
  if (session !== undefined) return toEvents(checkpoint, getEventSource(session), context)
  const source = createTaskSource(checkpoint.task_slug, context.cwd)
  return endAfterwards(source, toEvents(checkpoint, source, context), context)
}

function toEvents(
  checkpoint: TaskCheckpoint,
  source: EventSource,
  context: EventContext & { readonly from?: string | undefined },
): readonly SessionEvent[] {
  const base = (kind: string) => createEventBase(source, `${checkpoint.checkpoint_id}/${kind}`, context)
  const { from } = context
  switch (checkpoint.type) {
    case 'gate_transition':
      return [
        {
          ...base('gate-changed'),
          kind: 'gate-changed',
          task: checkpoint.task_slug,
          to: checkpoint.gate,
          ...(from !== undefined && { from }),
        },
      ]
    case 'decision':
      return checkpoint.state.decisions.map(({ decision, rationale, alternatives_considered: alternatives }, n) => ({
        ...base(`decision-made/${n}`),
        kind: 'decision-made' as const,
        decision,
        rationale,
        alternatives,
      }))
    case 'error_recovery':
      return checkpoint.state.errors.map((recovery, n) => ({
        ...base(`error-recovered/${n}`),
        kind: 'error-recovered' as const,
        ...recovery,
      }))
    // Made from events that are already in the log; a digest would replace the agent's own words.
    case 'file_change':
    case 'interrupted':
    case 'context_refresh':
      return []
    case 'session_end':
    case 'emergency':
    case 'explicit':
      if (isGenerated(checkpoint.summary)) return []
      return [
        {
          ...base('digest-written'),
          kind: 'digest-written',
          summary: checkpoint.summary,
          ...(checkpoint.next_steps[0] !== undefined && { nextAction: checkpoint.next_steps[0] }),
          ...(checkpoint.state.blockers.length > 0 && { blockers: checkpoint.state.blockers }),
        },
      ]
  }
}

/** The session of the event log that a task session's events belong to. */
export async function findHarnessSession(
  ports: Pick<TaskPorts, 'continuity'>,
  session: TaskSession,
): Promise<Session | undefined> {
  const { harness, sessionKey } = getEventSource(session)
  try {
    return await ports.continuity.getSession(sessionKey, harness)
  } catch (thrown) {
    if (thrown instanceof HoldfastError && thrown.code === 'not-found') return undefined
    throw thrown
  }
}

/** Whether its process died without ending the session. */
export function hasDied(session: Session | undefined, ports: Pick<TaskPorts, 'processes' | 'machine'>): boolean {
  if (session === undefined) return false
  return session.phase === 'interrupted' || isOrphan(session, ports)
}

/** Whether it ended, its process is gone, or it has no process and was silent for too long. */
export function isDead(
  session: Session | undefined,
  ports: Pick<TaskPorts, 'processes' | 'machine' | 'clock'>,
  silenceMs: number,
): boolean {
  return session !== undefined && !isLive(session, ports, silenceMs)
}

/** Whether no process works on a task session: also if its start was cut off before the event log knew it. */
export async function isAbandoned(
  ports: Pick<TaskPorts, 'continuity' | 'processes' | 'machine' | 'clock'>,
  session: TaskSession,
  silenceMs: number,
): Promise<boolean> {
  const known = await findHarnessSession(ports, session)
  if (known !== undefined) return isDead(known, ports, silenceMs)
  return Date.parse(ports.clock.now()) - Date.parse(session.last_activity) >= silenceMs
}
