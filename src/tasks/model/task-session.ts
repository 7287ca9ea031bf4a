import type { Gate } from './gate.ts'
import { type TaskSessionState, transition } from '../../kernel/task-session-state.ts'

export const OUTCOMES = ['success', 'partial', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface StateChange {
  readonly at: string
  readonly from: TaskSessionState
  readonly to: TaskSessionState
  readonly reason: string
}

/**
 * `json/sessions/<session_id>.json`: S2's session metadata, one file each, so that two clones never write the same one.
 * Who is behind it (a process of one machine) is not here: the store has that.
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
  /** Found by looking at who names this one as parent; as known when the file was written. */
  readonly child_sessions: readonly string[]
  /** Of the harness session behind it, when last measured. */
  readonly context_tokens: number | null
  readonly goal: string | null
  /** The checkpoint that it continued from. */
  readonly resumed_from: string | null
  /** `<harness>/<sessionKey>` of the session that does the work, when it is known. */
  readonly harness_session: string | null
  readonly ended_at: string | null
  readonly outcome: Outcome | null
  readonly transitions: readonly StateChange[]
}

/** The session after a step; refuses an illegal one. */
export function moveSession(session: TaskSession, to: TaskSessionState, at: string, reason: string): TaskSession {
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

/** Each with its children, from what the others say about their parents. */
export function withChildren(sessions: readonly TaskSession[]): readonly TaskSession[] {
  return sessions.map((session) => ({
    ...session,
    child_sessions: sessions
      .filter(({ parent_session }) => parent_session === session.session_id)
      .map(({ session_id }) => session_id),
  }))
}
