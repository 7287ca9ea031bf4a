import { HoldfastError } from '../core/errors.ts'
import { gateLabel } from '../core/task/gate.ts'
import { gatesHeld, openGates } from '../core/task/preconditions.ts'
import type { TaskStatus } from '../core/task/task-status.ts'
import type { TaskAt, Tasks, TaskView } from '../core/task/tasks.ts'
import { buildIndex } from '../core/task/checkpoint-index.ts'
import { buildTimeline } from '../core/task/timeline.ts'
import { createTask } from './create-task.ts'
import { finishTask } from './finish-task.ts'
import { enterGate, refuseRegression } from './enter-gate.ts'
import { checkpointsOf, findActive, getDefinition, getStatus, openTask, type OpenTask } from './open-task.ts'
import { readChain, readIncidents, readSessions, updateStatus } from './task-files.ts'
import { listTaskSlugs } from './task-folder.ts'
import { repairTask, verifyTask } from './verify-task.ts'
import { wakeSession } from './session-steps.ts'
import { hashOf, type TaskWorld } from './world.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

function viewOf({ folder }: OpenTask): TaskView {
  const definition = getDefinition(folder)
  const held = gatesHeld(checkpointsOf(folder))
  return {
    definition,
    status: getStatus(folder),
    gates_held: [...held],
    gates_open: openGates(definition.flow, held),
    active_session: findActive(readSessions(folder)) ?? null,
  }
}

function blocked(status: TaskStatus, blockers: readonly string[], at: string): TaskStatus {
  const state = blockers.length > 0 ? 'blocked' : status.status === 'blocked' ? 'in-progress' : status.status
  return { ...status, blockers, status: state, last_activity: at }
}

/** Governed tasks on this machine's files. */
export function createTasks(world: TaskWorld): Tasks {
  const open = (at: TaskAt) => openTask(world, at)

  /** One folder that cannot be read must not hide the others. */
  async function viewIfReadable(cwd: string, slug: string): Promise<readonly TaskView[]> {
    try {
      return [viewOf(await open({ cwd, slug }))]
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
      const { files } = readChain(task.folder)
      return {
        ...viewOf(task),
        sessions: readSessions(task.folder),
        index: buildIndex(task.folder.slug, files, hashOf),
        last_checkpoint: checkpointsOf(task.folder).at(-1) ?? null,
        findings: verifyTask(task.folder).findings,
      }
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
      const text = task.folder.redactor.redact(reason.trim())
      if (text === '') throw new HoldfastError('invalid-input', 'A blocker needs words.')
      const now = world.clock.now()
      await updateStatus(task.folder, (status) => blocked(status, [...new Set([...status.blockers, text])], now))
      return viewOf(task)
    },

    async unblock({ reason, ...at }) {
      const task = await open(at)
      const { blockers, regression } = getStatus(task.folder)
      if (reason !== undefined && !blockers.includes(reason))
        throw new HoldfastError('not-found', `Nothing is blocked by ${JSON.stringify(reason)}.`, {
          hint: blockers.length === 0 ? 'The task is not blocked.' : `Blocked by: ${blockers.join(' | ')}`,
        })
      if (regression !== null) refuseRegression(task)
      const now = world.clock.now()
      await updateStatus(task.folder, (status) =>
        blocked(status, reason === undefined ? [] : status.blockers.filter((one) => one !== reason), now),
      )
      return viewOf(task)
    },

    async finish({ summary, lessons = [], ...at }) {
      const task = await open(at)
      refuseRegression(task)
      const { status, gates_open: wanting, active_session: active } = viewOf(task)
      const problems = [
        ...(status.status === 'complete' ? ['It is complete already.'] : []),
        ...(wanting.length > 0 ? [`${wanting.map(gateLabel).join(', ')} were not entered.`] : []),
        ...(active === null ? [] : [`${active.session_id} is under way: end it with \`holdfast session end\`.`]),
        ...status.blockers.map((blocker) => `It is blocked: ${blocker}.`),
      ]
      if (problems.length > 0)
        throw new HoldfastError('conflict', `The task ${at.slug} cannot be done. ${problems.join(' ')}`)
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
