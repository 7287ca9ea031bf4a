import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { TaskStatus } from '../model/task-status.ts'
import type { OpenTask } from '../files/open-task.ts'
import { readSession, sessionPath } from '../files/task-files.ts'

/** Where the task stands after it. */
export function afterCheckpoint(status: TaskStatus, checkpoint: TaskCheckpoint): TaskStatus {
  return {
    ...status,
    current_gate: checkpoint.gate,
    current_step: checkpoint.step,
    last_session: checkpoint.session_id ?? status.last_session,
    last_activity: checkpoint.timestamp,
    last_checkpoint: checkpoint.checkpoint_id,
    blockers: checkpoint.state.blockers,
    next_steps: checkpoint.next_steps,
    status:
      checkpoint.state.blockers.length > 0 ? 'blocked' : status.status === 'blocked' ? 'in-progress' : status.status,
  }
}

/** What its session's own file says after it. */
export function noteInSession(
  folder: OpenTask['folder'],
  given: TaskSession,
  { timestamp, gate }: TaskCheckpoint,
  contextTokens: number | undefined,
): void {
  const session = readSession(folder, given.session_id) ?? given
  folder.writeJson(sessionPath(session.session_id), {
    ...session,
    last_activity: timestamp,
    current_gate: gate,
    checkpoint_count: session.checkpoint_count + 1,
    context_tokens: contextTokens ?? session.context_tokens,
  } satisfies TaskSession)
}
