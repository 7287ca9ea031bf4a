import { HoldfastError } from '../../kernel/errors.ts'
import type { TaskRef, Tasks, TaskView } from '../tasks.ts'
import { buildTimeline } from '../timeline.ts'
import { createTask } from './create-task.ts'
import { finishTask } from './finish-task.ts'
import { enterGate, refuseRegression, refuseWithoutSession } from '../checkpoints/enter-gate.ts'
import { listCheckpoints, openTask, getStatus, refuseComplete, type OpenTask } from '../files/open-task.ts'
import { readIncidents, readSessions, updateStatus } from '../files/task-files.ts'
import { listTaskSlugs } from '../files/task-folder.ts'
import { readTaskDetail, readTaskView } from './task-view.ts'
import { repairTask, verifyTask } from '../checkpoints/verify-task.ts'
import { checkActiveSession, findOrReactivateSession } from '../sessions/session-transitions.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { writeGivenCheckpoint } from '../checkpoints/write-checkpoint.ts'
import type { TaskStatus } from '../model/task.ts'

function withBlockers(status: TaskStatus, blockers: readonly string[], at: string): TaskStatus {
  const state = blockers.length > 0 ? 'blocked' : status.status === 'blocked' ? 'in-progress' : status.status
  return { ...status, blockers, status: state, last_activity: at }
}

async function blockTask(ports: TaskPorts, { folder }: OpenTask, reason: string): Promise<void> {
  const text = folder.redactor.redact(reason.trim())
  if (text === '') throw new HoldfastError('invalid-input', 'A blocker needs a reason.')
  refuseComplete(folder)
  const now = ports.clock.now()
  await updateStatus(folder, (status) => withBlockers(status, [...new Set([...status.blockers, text])], now))
}

/** One blocker, or all. A failed health check cannot be cleared this way; it has to pass. */
async function unblockTask(ports: TaskPorts, task: OpenTask, reason: string | undefined): Promise<void> {
  const { folder } = task
  const { blockers } = getStatus(folder)
  if (reason !== undefined && !blockers.includes(reason))
    throw new HoldfastError('not-found', `There is no blocker ${JSON.stringify(reason)}.`, {
      hint: blockers.length === 0 ? 'The task is not blocked.' : `Blocked by: ${blockers.join(' | ')}`,
    })
  refuseRegression(task)
  const now = ports.clock.now()
  await updateStatus(folder, (status) =>
    withBlockers(status, reason === undefined ? [] : status.blockers.filter((one) => one !== reason), now),
  )
}

export function createTasks(ports: TaskPorts): Tasks {
  const open = (at: TaskRef) => openTask(ports, at)

  /** An unreadable task must not hide the others. */
  async function viewIfReadable(cwd: string, slug: string): Promise<readonly TaskView[]> {
    try {
      const view = readTaskView(await open({ cwd, slug }))
      await checkActiveSession(ports, view.active_session)
      return [view]
    } catch (thrown) {
      if (!(thrown instanceof HoldfastError)) throw thrown
      ports.log.warn('task not listed', { task: slug, error: thrown.message })
      return []
    }
  }

  return {
    create: async (input) => readTaskView(await createTask(ports, input)),

    async list({ cwd }) {
      const { worktree } = await ports.locator.locate(cwd)
      const views: TaskView[] = []
      for (const slug of listTaskSlugs(worktree)) views.push(...(await viewIfReadable(cwd, slug)))
      return views.sort((a, b) => (a.status.last_activity < b.status.last_activity ? 1 : -1))
    },

    async show(at) {
      const task = await open(at)
      await checkActiveSession(ports, readTaskView(task).active_session)
      return readTaskDetail(task)
    },

    async enterGate({ gate, content = {}, reason, force: isForced, ...at }) {
      const task = await open(at)
      refuseRegression(task)
      const session = await findOrReactivateSession(ports, task)
      return enterGate(ports, task, { gate, content, reason, isForced, session })
    },

    async checkpoint({ type, content, ...at }) {
      const task = await open(at)
      refuseRegression(task)
      const session = await findOrReactivateSession(ports, task)
      if (session === undefined) return refuseWithoutSession(task)
      return writeGivenCheckpoint(ports, task, { type, content, session })
    },

    async block({ reason, ...at }) {
      const task = await open(at)
      await blockTask(ports, task, reason)
      return readTaskView(task)
    },

    async unblock({ reason, ...at }) {
      const task = await open(at)
      await unblockTask(ports, task, reason)
      return readTaskView(task)
    },

    async finish({ summary, lessons = [], force: isForced = false, reason, ...at }) {
      const task = await open(at)
      await finishTask(ports, task, { summary, lessons, isForced, reason })
      return readTaskView(task)
    },

    verify: async (at) => verifyTask((await open(at)).folder),
    repair: async (at) => repairTask(ports, await open(at)),

    async timeline(at) {
      const { folder } = await open(at)
      return buildTimeline({
        sessions: readSessions(folder),
        checkpoints: listCheckpoints(folder),
        incidents: readIncidents(folder),
      })
    },
  }
}
