import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import type { ProcessRef } from '../../kernel/event.ts'
import { type TaskSessionState, transition } from '../../kernel/task-session-state.ts'
import { applyTransition, type SessionOutcome, type TaskSession } from '../model/task-session.ts'
import { findActiveSession, getCurrentSession, type OpenTask } from '../files/open-task.ts'
import { findHarnessSession, hasDied, createLifecycleEvents, createStateEvent } from '../files/task-events.ts'
import { readSession, readSessions, sessionPath } from '../files/task-files.ts'
import { findObservedCheckpoint } from '../checkpoints/checkpoint-content.ts'
import { refuseRegression } from '../checkpoints/enter-gate.ts'
import { refuseUnobservedFiles } from '../patch/changed-files.ts'
import type { EndInput } from '../rituals.ts'
import type { TaskPorts } from '../files/task-ports.ts'

/** Fields that change when another process resumes a session. */
export type SessionOwner = Pick<TaskSession, 'harness_session' | 'context_tokens' | 'agent_id' | 'goal'>

export interface StateChangeRequest {
  readonly to: TaskSessionState
  readonly reason: string
  readonly outcome?: SessionOutcome
  readonly process?: ProcessRef | undefined
  readonly owner?: SessionOwner | undefined
}

/** Changes the state in the session's file and the event log. Refuses an illegal transition, naming the legal ones. */
export async function changeSessionState(
  ports: TaskPorts,
  { folder, location }: OpenTask,
  sessionId: string,
  change: StateChangeRequest,
): Promise<TaskSession> {
  const at = ports.clock.now()
  const session = await folder.locked(() => {
    const before = readSession(folder, sessionId)
    if (before === undefined)
      throw new HoldfastError('not-found', `There is no session ${sessionId} of ${folder.slug}.`)
    const after: TaskSession = {
      ...applyTransition(before, change.to, at, change.reason),
      ...change.owner,
      ...(change.outcome !== undefined && { outcome: change.outcome }),
    }
    folder.writeJson(sessionPath(sessionId), after)
    return after
  })
  const context = { at, cwd: location.worktree, ports, process: change.process }
  const hasCrashed = change.to === 'suspended' && hasDied(await findHarnessSession(ports, session), ports)
  await ports.continuity.recordAll([
    // A new session's start was recorded before its ritual.
    ...(change.to === 'active' && session.transitions.length > 1
      ? createLifecycleEvents(session, 'started', context)
      : []),
    createStateEvent(session, context),
    ...(change.to === 'active' || hasCrashed ? [] : createLifecycleEvents(session, 'ended', context)),
  ])
  return session
}

/** The active session, or an interrupted one that reports again and becomes active; undefined if there is neither. */
export async function findOrReactivateSession(ports: TaskPorts, task: OpenTask): Promise<TaskSession | undefined> {
  const sessions = readSessions(task.folder)
  const active = findActiveSession(sessions)
  if (active !== undefined) return active
  const last = sessions.at(-1)
  const wasInterrupted = last?.state === 'suspended' && last.transitions.at(-1)?.from === 'active'
  if (last === undefined || !wasInterrupted) return undefined
  return changeSessionState(ports, task, last.session_id, {
    to: 'active',
    reason: 'it was considered dead and reported again',
    process: last.harness_session === null ? ports.findOwnerProcess() : undefined,
  })
}

/** Starts the daemon if it was killed together with the agent; the daemon then detects dead sessions. Not needed to read the files. */
export async function checkActiveSession(ports: TaskPorts, active: TaskSession | null): Promise<void> {
  if (active === null) return
  try {
    await findHarnessSession(ports, active)
  } catch (error) {
    ports.log.warn('task session not checked', { session: active.session_id, error: getErrorMessage(error) })
  }
}

/** Refuses what cannot be the end of a session, before anything is written. */
async function refuseEnd(ports: TaskPorts, task: OpenTask, session: TaskSession, input: SessionEnding): Promise<void> {
  const { slug } = task.folder
  if (input.outcome === 'success') refuseRegression(task)
  await refuseUnobservedFiles(task, input.content?.files)
  if (input.content?.summary !== undefined && input.content.summary.trim() !== '') return
  const observed = await findObservedCheckpoint(ports, session)
  if (observed !== undefined && observed.summary.trim() !== '') return
  throw new HoldfastError('invalid-input', 'A session_end checkpoint needs a summary; nothing was written.', {
    hint: `Say what the session did: \`holdfast session end --task ${slug} --summary "…" --next "…"\`.`,
  })
}

type SessionEnding = Pick<EndInput, 'sessionId' | 'outcome' | 'content'>

/** The session to end; a suspended one becomes active first. One that never became active cannot end. */
export async function getSessionToEnd(ports: TaskPorts, task: OpenTask, input: SessionEnding): Promise<TaskSession> {
  const { slug } = task.folder
  const session = getCurrentSession(task.folder, input.sessionId)
  if (session.state !== 'suspended') {
    transition(session.state, 'complete')
    await refuseEnd(ports, task, session, input)
    return session
  }
  if (!session.transitions.some(({ to }) => to === 'active'))
    throw new HoldfastError(
      'conflict',
      `${session.session_id} never started: ${session.transitions.at(-1)?.reason ?? ''}.`,
      {
        hint: `Start one with \`holdfast session start --task ${slug}\`, or give this one up with \`holdfast session give-up --task ${slug} --id ${session.session_id} --reason …\`.`,
      },
    )
  await refuseEnd(ports, task, session, input)
  return changeSessionState(ports, task, session.session_id, {
    to: 'active',
    reason: 'it is being ended',
    process: session.harness_session === null ? ports.findOwnerProcess() : undefined,
  })
}
