import { HoldfastError } from '../../kernel/errors.ts'
import type { TaskAt, Tasks, TaskView } from '../tasks.ts'
import { buildTimeline } from '../timeline.ts'
import { createTask } from './create-task.ts'
import { finishTask } from './finish-task.ts'
import { enterGate, refuseRegression } from '../checkpoints/enter-gate.ts'
import { checkpointsOf, openTask, getStatus, type OpenTask } from '../files/open-task.ts'
import { readIncidents, readSessions, updateStatus } from '../files/task-files.ts'
import { listTaskSlugs } from '../files/task-folder.ts'
import { detailOf, viewOf } from './task-view.ts'
import { repairTask, verifyTask } from '../checkpoints/verify-task.ts'
import { askAfter, wakeSession } from '../sessions/session-steps.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
import type { TaskStatus } from '../model/task-status.ts'

function blocked(status: TaskStatus, blockers: readonly string[], at: string): TaskStatus {
  const state = blockers.length > 0 ? 'blocked' : status.status === 'blocked' ? 'in-progress' : status.status
  return { ...status, blockers, status: state, last_activity: at }
}

async function blockTask(world: TaskWorld, { folder }: OpenTask, reason: string): Promise<void> {
  const text = folder.redactor.redact(reason.trim())
  if (text === '') throw new HoldfastError('invalid-input', 'A blocker needs words.')
  const now = world.clock.now()
  await updateStatus(folder, (status) => blocked(status, [...new Set([...status.blockers, text])], now))
}

/** One blocker, or all of them. A failed health check is no matter of words: it has to pass. */
async function unblockTask(world: TaskWorld, task: OpenTask, reason: string | undefined): Promise<void> {
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

/** Governed tasks on this machine's files. */
export function createTasks(world: TaskWorld): Tasks {
  const open = (at: TaskAt) => openTask(world, at)

  /** One folder that cannot be read must not hide the others. */
  async function viewIfReadable(cwd: string, slug: string): Promise<readonly TaskView[]> {
    try {
      const view = viewOf(await open({ cwd, slug }))
      await askAfter(world, view.active_session)
      return [view]
    } catch (thrown) {
      if (!(thrown instanceof HoldfastError)) throw thrown
      world.log.warn('task not listed', { task: slug, error: thrown.message })
      return []
    }
  }

  return {
    create: async (input) => viewOf(await createTask(world, input)),

    async list({ cwd }) {
      const { worktree } = await world.places.locate(cwd)
      const views: TaskView[] = []
      for (const slug of listTaskSlugs(worktree)) views.push(...(await viewIfReadable(cwd, slug)))
      return views.sort((a, b) => (a.status.last_activity < b.status.last_activity ? 1 : -1))
    },

    async show(at) {
      const task = await open(at)
      await askAfter(world, viewOf(task).active_session)
      return detailOf(task)
    },

    async enterGate({ gate, content = {}, reason, ...at }) {
      const task = await open(at)
      return enterGate(world, task, { gate, content, reason, session: await wakeSession(world, task) })
    },

    async checkpoint({ type, content, ...at }) {
      const task = await open(at)
      refuseRegression(task)
      const session = await wakeSession(world, task)
      if (session === undefined)
        throw new HoldfastError('conflict', `The task ${at.slug} has no session under way.`, {
          hint: `Start one with \`holdfast session start --task ${at.slug}\`.`,
        })
      return writeCheckpoint(world, task, { type, content, session })
    },

    async block({ reason, ...at }) {
      const task = await open(at)
      await blockTask(world, task, reason)
      return viewOf(task)
    },

    async unblock({ reason, ...at }) {
      const task = await open(at)
      await unblockTask(world, task, reason)
      return viewOf(task)
    },

    async finish({ summary, lessons = [], ...at }) {
      const task = await open(at)
      await finishTask(world, task, { summary, lessons })
      return viewOf(task)
    },

    verify: async (at) => verifyTask((await open(at)).folder),
    repair: async (at) => repairTask(world, await open(at)),

    async timeline(at) {
      const { folder } = await open(at)
      return buildTimeline({
        sessions: readSessions(folder),
        checkpoints: checkpointsOf(folder),
        incidents: readIncidents(folder),
      })
    },
  }
}
