import type { HealthCheck } from '../model/rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import { addIncident, updateStatus } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

const PREFIX = 'P0 regression: '

/** A failed health check: first thing to fix, and nothing proceeds before that. */
export async function noteRegression(
  world: TaskWorld,
  { folder }: OpenTask,
  sessionId: string,
  { command = [], detail }: HealthCheck,
): Promise<void> {
  const at = world.clock.now()
  await updateStatus(folder, (status) => ({
    ...status,
    status: 'blocked',
    last_session: sessionId,
    last_activity: at,
    blockers: [`${PREFIX}${detail}`, ...status.blockers.filter((blocker) => !blocker.startsWith(PREFIX))],
    regression: { priority: 'P0', at, session_id: sessionId, command: command.join(' '), detail },
  }))
  await addIncident(folder, {
    at,
    kind: 'health-check-failed',
    session_id: sessionId,
    checkpoint_id: null,
    detail: `P0: ${detail}`,
  })
}

/** The check passes again: the regression is over, and how it was is a checkpoint. */
export async function settleRegression(world: TaskWorld, task: OpenTask, session: TaskSession): Promise<void> {
  const { regression, blockers } = getStatus(task.folder)
  if (regression === null) return
  await writeCheckpoint(world, task, {
    type: 'error_recovery',
    session,
    content: {
      summary: 'The health check passes again',
      errors: [{ error: regression.detail, resolution: `the health check passes in ${session.session_id}` }],
      blockers: blockers.filter((blocker) => !blocker.startsWith(PREFIX)),
    },
    changeStatus: (status) => ({ ...status, regression: null }),
  })
}
