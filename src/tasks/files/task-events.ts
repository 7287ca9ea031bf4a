import { isLive, isOrphan } from '../../kernel/ports/liveness.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { ProcessRef, SessionEvent } from '../../kernel/event.ts'
import { EventId, SessionKey } from '../../kernel/id.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { Session } from '../../kernel/session.ts'
import { hashOf, type TaskWorld } from './task-ports.ts'

/** The harness of sessions that nobody but Holdfast itself knows: a task's, when no harness is behind it. */
export const OWN_HARNESS = 'holdfast'

export interface Speaker {
  readonly harness: string
  readonly sessionKey: SessionKey
}

/** Which session of the event log says what happens in a task session: the harness's own, else one of ours. */
export function speakerOf(session: Pick<TaskSession, 'session_id' | 'harness_session'>): Speaker {
  const [harness, ...key] = (session.harness_session ?? '').split('/')
  return harness === undefined || harness === '' || key.length === 0
    ? { harness: OWN_HARNESS, sessionKey: SessionKey(session.session_id) }
    : { harness, sessionKey: SessionKey(key.join('/')) }
}

interface Saying {
  readonly at: string
  readonly cwd: string
  readonly world: Pick<TaskWorld, 'door'>
}

function base(speaker: Speaker, id: string, { at, cwd, world }: Saying) {
  return { id: EventId(id), ...speaker, at, door: world.door, cwd } as const
}

/** The steps of a session that has no harness behind it, so that it lives and dies in the log like any other. */
export function lifeEvents(
  session: TaskSession,
  what: 'started' | 'ended',
  saying: Saying & { readonly process?: ProcessRef | undefined },
): readonly SessionEvent[] {
  const speaker = speakerOf(session)
  if (speaker.harness !== OWN_HARNESS) return []
  const id = `${session.session_id}/${what}/${session.transitions.length}`
  if (what === 'ended') return [{ ...base(speaker, id, saying), kind: 'session-ended', reason: 'exit' }]
  const { process } = saying
  const source = session.transitions.length > 1 ? 'resume' : 'startup'
  return [{ ...base(speaker, id, saying), kind: 'session-started', source, ...(process !== undefined && { process }) }]
}

export function stateEvent(session: TaskSession, saying: Saying): SessionEvent {
  const reason = session.transitions.at(-1)?.reason
  return {
    ...base(speakerOf(session), `${session.session_id}/state/${session.transitions.length}`, saying),
    kind: 'task-session-changed',
    task: session.task_slug,
    taskSession: session.session_id,
    state: session.state,
    gate: session.current_gate,
    ...(reason !== undefined && { reason }),
  }
}

/** At most one a minute, however often it is said. */
export function heartbeatEvent(session: TaskSession, saying: Saying & { readonly process?: ProcessRef }): SessionEvent {
  const { process } = saying
  return {
    ...base(speakerOf(session), `${session.session_id}/alive/${saying.at.slice(0, 16)}`, saying),
    kind: 'task-session-changed',
    task: session.task_slug,
    taskSession: session.session_id,
    state: session.state,
    gate: session.current_gate,
    reason: 'heartbeat',
    ...(process !== undefined && { process }),
  }
}

/** What a ritual says of itself where nobody said anything: no words of the agent's, and not to be told in their place. */
const MADE_UP = /^(?:Session ended \((?:success|partial|failed|failure)\): |Emergency stop: )/

/** Begins what a supervisor says of the program that it ran. */
export const SUPERVISED = 'Supervised run: '

function isMadeUp(summary: string): boolean {
  return MADE_UP.test(summary) || summary.startsWith(SUPERVISED)
}

/** Who speaks for a task while nobody works at it. Two checkouts may have tasks of one name. */
function taskItself(slug: string, worktree: string): Speaker {
  return { harness: OWN_HARNESS, sessionKey: SessionKey(`task-${slug}-${hashOf(worktree).slice(0, 8)}`) }
}

/** Nobody runs a session that speaks for the task itself: it is over, and what it says later does not open it again. */
function withoutLife(speaker: Speaker, events: readonly SessionEvent[], saying: Saying): readonly SessionEvent[] {
  if (events.length === 0) return events
  return [...events, { ...base(speaker, `${speaker.sessionKey}/over`, saying), kind: 'session-ended', reason: 'other' }]
}

/** What a checkpoint tells the event log. Ids come from the checkpoint's: telling it again is no second fact. */
export function checkpointEvents(
  checkpoint: TaskCheckpoint,
  session: TaskSession | undefined,
  saying: Saying & { readonly from?: string | undefined },
): readonly SessionEvent[] {
  if (session !== undefined) return eventsOf(checkpoint, speakerOf(session), saying)
  const speaker = taskItself(checkpoint.task_slug, saying.cwd)
  return withoutLife(speaker, eventsOf(checkpoint, speaker, saying), saying)
}

function eventsOf(
  checkpoint: TaskCheckpoint,
  speaker: Speaker,
  saying: Saying & { readonly from?: string | undefined },
): readonly SessionEvent[] {
  const said = (kind: string) => base(speaker, `${checkpoint.checkpoint_id}/${kind}`, saying)
  const { from } = saying
  switch (checkpoint.type) {
    case 'gate_transition':
      return [
        {
          ...said('gate-changed'),
          kind: 'gate-changed',
          task: checkpoint.task_slug,
          to: checkpoint.gate,
          ...(from !== undefined && { from }),
        },
      ]
    case 'decision':
      return checkpoint.state.decisions.map(({ decision, rationale, alternatives_considered: alternatives }, n) => ({
        ...said(`decision-made/${n}`),
        kind: 'decision-made' as const,
        decision,
        rationale,
        alternatives,
      }))
    case 'error_recovery':
      return checkpoint.state.errors.map((recovery, n) => ({
        ...said(`error-recovered/${n}`),
        kind: 'error-recovered' as const,
        ...recovery,
      }))
    // Made from events that are in the log already; told again as a digest they would replace the agent's own words.
    case 'file_change':
    case 'interrupted':
    case 'context_refresh':
      return []
    case 'session_end':
    case 'emergency':
    case 'explicit':
      if (isMadeUp(checkpoint.summary)) return []
      return [
        {
          ...said('digest-written'),
          kind: 'digest-written',
          summary: checkpoint.summary,
          ...(checkpoint.next_steps[0] !== undefined && { nextAction: checkpoint.next_steps[0] }),
          ...(checkpoint.state.blockers.length > 0 && { blockers: checkpoint.state.blockers }),
        },
      ]
  }
}

/** The row of the event log behind a task session; undefined when there is none. */
export async function findSpeaker(
  world: Pick<TaskWorld, 'continuity'>,
  session: TaskSession,
): Promise<Session | undefined> {
  const { harness, sessionKey } = speakerOf(session)
  try {
    return await world.continuity.getSession(sessionKey, harness)
  } catch (thrown) {
    if (thrown instanceof HoldfastError && thrown.code === 'not-found') return undefined
    throw thrown
  }
}

/** Whether its process died: then the daemon finds it, and calls it interrupted. */
export function hasDied(behind: Session | undefined, world: Pick<TaskWorld, 'processes' | 'machine'>): boolean {
  if (behind === undefined) return false
  return behind.phase === 'interrupted' || isOrphan(behind, world)
}

/** Whether nobody is at work any more: its process is gone, it ended, or it was silent for too long with no process to ask. */
export function isDead(
  behind: Session | undefined,
  world: Pick<TaskWorld, 'processes' | 'machine' | 'clock'>,
  silenceMs: number,
): boolean {
  return behind !== undefined && !isLive(behind, world, silenceMs)
}
