import { HoldfastError } from '../../kernel/errors.ts'
import { type TaskSessionState, transition } from '../../kernel/task-session-state.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { SessionClosing } from '../rituals.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
import { getCurrentSession, type OpenTask } from '../files/open-task.ts'
import { readSessions } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { changeSessionState } from './session-transitions.ts'
import { logSessionEnd } from './suspend-session.ts'

/** Records a person's decision about a session in the chain. */
async function writeDecidedState(
  ports: TaskPorts,
  task: OpenTask,
  session: TaskSession,
  { summary, to, reason }: { readonly summary: string; readonly to: TaskSessionState; readonly reason: string },
): Promise<TaskSession> {
  if (reason.trim() === '') throw new HoldfastError('invalid-input', 'A reason is needed: --reason "…".')
  transition(session.state, to)
  await writeCheckpoint(ports, task, {
    type: 'explicit',
    session,
    content: { summary: `${summary}: ${reason}` },
    changeStatus: (status) =>
      to === 'suspended' && status.status === 'complete' ? { ...status, status: 'in-progress' } : status,
  })
  return changeSessionState(ports, task, session.session_id, { to, reason })
}

function refuseUnderWay(task: OpenTask, { session_id: id, state }: TaskSession, wanted: string): void {
  if (state !== 'active' && state !== 'init') return
  throw new HoldfastError('conflict', `${id} is under way.`, {
    hint: `End it with \`holdfast session end --task ${task.folder.slug}\`; only a ${wanted}.`,
  })
}

/** Suspends a complete session, so that `start` with `resume` continues it. A task that was complete is in progress again. */
export async function reopenSession(ports: TaskPorts, task: OpenTask, given: SessionClosing): Promise<TaskSession> {
  const sessions = readSessions(task.folder)
  const session =
    given.sessionId === undefined
      ? sessions.findLast(({ state }) => state === 'complete')
      : getCurrentSession(task.folder, given.sessionId)
  if (session === undefined)
    throw new HoldfastError('not-found', `The task ${task.folder.slug} has no complete session to re-open.`)
  refuseUnderWay(task, session, 'complete session is re-opened')
  return writeDecidedState(ports, task, session, {
    summary: 'Session re-opened',
    to: 'suspended',
    reason: given.reason,
  })
}

/** Terminates a suspended session for good: nothing continues it. */
export async function giveUpSession(ports: TaskPorts, task: OpenTask, given: SessionClosing): Promise<TaskSession> {
  const session =
    given.sessionId === undefined
      ? readSessions(task.folder).findLast(({ state }) => state === 'suspended')
      : getCurrentSession(task.folder, given.sessionId)
  if (session === undefined)
    throw new HoldfastError('not-found', `The task ${task.folder.slug} has no suspended session to give up.`)
  refuseUnderWay(task, session, 'suspended session is given up')
  const after = await writeDecidedState(ports, task, session, {
    summary: 'Session given up',
    to: 'terminated',
    reason: given.reason,
  })
  await logSessionEnd(ports, task, session.session_id, 'terminated')
  return after
}
