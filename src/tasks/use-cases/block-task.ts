import { HoldfastError } from '../../kernel/errors.ts'
import type { TaskStatus } from '../model/task-status.ts'
import { refuseRegression } from '../checkpoints/enter-gate.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import { updateStatus } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'

function blocked(status: TaskStatus, blockers: readonly string[], at: string): TaskStatus {
  const state = blockers.length > 0 ? 'blocked' : status.status === 'blocked' ? 'in-progress' : status.status
  return { ...status, blockers, status: state, last_activity: at }
}

export async function blockTask(world: TaskWorld, { folder }: OpenTask, reason: string): Promise<void> {
  const text = folder.redactor.redact(reason.trim())
  if (text === '') throw new HoldfastError('invalid-input', 'A blocker needs words.')
  const now = world.clock.now()
  await updateStatus(folder, (status) => blocked(status, [...new Set([...status.blockers, text])], now))
}

/** One blocker, or all of them. A failed health check is no matter of words: it has to pass. */
export async function unblockTask(world: TaskWorld, task: OpenTask, reason: string | undefined): Promise<void> {
  const { folder } = task
  const { blockers } = getStatus(folder)
  if (reason !== undefined && !blockers.includes(reason))
    throw new HoldfastError('not-found', `Nothing is blocked by ${JSON.stringify(reason)}.`, {
      hint: blockers.length === 0 ? 'The task is not blocked.' : `Blocked by: ${blockers.join(' | ')}`,
    })
  refuseRegression(task)
  const now = world.clock.now()
  await updateStatus(folder, (status) =>
    blocked(status, reason === undefined ? [] : status.blockers.filter((one) => one !== reason), now),
  )
}
