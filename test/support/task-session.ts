import type { TaskSession } from '../../src/tasks/model/task-session.ts'

/** A session of a governed task that has just begun. */
export function aTaskSession(given: Partial<TaskSession> = {}): TaskSession {
  return {
    schema_version: 1,
    session_id: 'session-1',
    agent_id: 'agent',
    task_slug: 'a-task',
    state: 'init',
    started_at: '2026-01-02T03:00:00.000Z',
    last_activity: '2026-01-02T03:00:00.000Z',
    current_gate: 'G0',
    checkpoint_count: 0,
    parent_session: null,
    child_sessions: [],
    context_tokens: null,
    goal: null,
    resumed_from: null,
    harness_session: null,
    ended_at: null,
    outcome: null,
    transitions: [],
    ...given,
  }
}
