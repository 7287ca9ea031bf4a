import type { Gate } from './gate.ts'
import { type TaskSessionState, transition } from '../../kernel/task-session-state.ts'

export const SESSION_OUTCOMES = ['success', 'partial', 'failed'] as const
export type SessionOutcome = (typeof SESSION_OUTCOMES)[number]

export interface StateChange {
  readonly at: string
  readonly from: TaskSessionState
  readonly to: TaskSessionState
  readonly reason: string
}

/**
 * `json/sessions/<session_id>.json`: the session's metadata, one file per session so that two clones never write the same
 * file. The process that runs the session is recorded in the store, not here.
 */
export interface TaskSession {
  readonly schema_version: 1
  readonly session_id: string
  readonly agent_id: string
  readonly task_slug: string
  readonly state: TaskSessionState
  readonly started_at: string
  readonly last_activity: string
  readonly current_gate: Gate
  readonly checkpoint_count: number
  readonly parent_session: string | null
  /** Sessions that name this one as parent. Derived again from them when the files are read, and by `repair`. */
  readonly child_sessions: readonly string[]
  /** Of its harness session, at the last measurement. */
  readonly context_tokens: number | null
  readonly goal: string | null
  readonly resumed_from: string | null
  /** `<harness>/<sessionKey>` of the session that does the work, if known. */
  readonly harness_session: string | null
  readonly ended_at: string | null
  readonly outcome: SessionOutcome | null
  readonly transitions: readonly StateChange[]
}

type NewSession = Pick<
  TaskSession,
  | 'session_id'
  | 'agent_id'
  | 'task_slug'
  | 'current_gate'
  | 'parent_session'
  | 'goal'
  | 'resumed_from'
  | 'harness_session'
>

export function createTaskSession(given: NewSession, at: string): TaskSession {
  return {
    schema_version: 1,
    session_id: given.session_id,
    agent_id: given.agent_id,
    task_slug: given.task_slug,
    state: 'init',
    started_at: at,
    last_activity: at,
    current_gate: given.current_gate,
    checkpoint_count: 0,
    parent_session: given.parent_session,
    child_sessions: [],
    context_tokens: null,
    goal: given.goal,
    resumed_from: given.resumed_from,
    harness_session: given.harness_session,
    ended_at: null,
    outcome: null,
    transitions: [],
  }
}

/** Refuses an illegal transition. */
export function applyTransition(session: TaskSession, to: TaskSessionState, at: string, reason: string): TaskSession {
  const state = transition(session.state, to)
  const isOver = state === 'complete' || state === 'terminated'
  return {
    ...session,
    state,
    last_activity: at,
    ended_at: isOver ? at : null,
    outcome: state === 'active' ? null : session.outcome,
    transitions: [...session.transitions, { at, from: session.state, to: state, reason }],
  }
}

/** Fills in `child_sessions` from the parents that the sessions name. */
export function withChildren(sessions: readonly TaskSession[]): readonly TaskSession[] {
  return sessions.map((session) => ({
    ...session,
    child_sessions: sessions
      .filter(({ parent_session }) => parent_session === session.session_id)
      .map(({ session_id }) => session_id),
  }))
}
