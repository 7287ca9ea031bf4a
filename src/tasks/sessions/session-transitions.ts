import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import type { ProcessRef } from '../../kernel/event.ts'
import { type TaskSessionState, transition } from '../../kernel/task-session-state.ts'
import { applyTransition, type SessionOutcome, type TaskSession } from '../model/task-session.ts'
import { findActiveSession, getCurrentSession, type OpenTask } from '../files/open-task.ts'
import { findHarnessSession, hasDied, createLifecycleEvents, createStateEvent } from '../files/task-events.ts'
import { addIncident, readSession, readSessions, sessionPath } from '../files/task-files.ts'
import type { CheckpointContent } from '../model/task-checkpoint.ts'
import type { CheckpointResult } from '../tasks.ts'
import { collectContent, findObservedCheckpoint } from '../checkpoints/checkpoint-content.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
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
    ...(change.to === 'active' ? createLifecycleEvents(session, 'started', context) : []),
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

/** The session to end; a suspended one becomes active first. */
export async function getSessionToEnd(ports: TaskPorts, task: OpenTask, id: string | undefined): Promise<TaskSession> {
  const session = getCurrentSession(task.folder, id)
  if (session.state !== 'suspended') {
    // Refuses an illegal transition before anything is written.
    transition(session.state, 'complete')
    return session
  }
  return changeSessionState(ports, task, session.session_id, {
    to: 'active',
    reason: 'it is being ended',
    process: session.harness_session === null ? ports.findOwnerProcess() : undefined,
  })
}

export interface Suspension {
  readonly reason: string
  readonly content?: CheckpointContent | undefined
}

/** Writes an `interrupted` checkpoint from the last known state and an incident, then suspends the session. */
export async function suspendSession(
  ports: TaskPorts,
  task: OpenTask,
  session: TaskSession,
  { reason, content = {} }: Suspension,
): Promise<CheckpointResult> {
  transition(session.state, 'suspended')
  const observed = await findObservedCheckpoint(ports, session)
  const known = observed === undefined ? '' : ` Last seen: ${observed.summary}`
  const written = await writeCheckpoint(ports, task, {
    type: 'interrupted',
    session,
    content: await collectContent(ports, task, session, {
      ...content,
      summary: content.summary ?? `Interrupted: ${reason}.${known}`,
      nextSteps: content.nextSteps ?? (observed?.nextAction === undefined ? undefined : [observed.nextAction]),
    }),
  })
  await addIncident(task.folder, {
    at: ports.clock.now(),
    kind: 'interrupted',
    session_id: session.session_id,
    checkpoint_id: written.checkpoint.checkpoint_id,
    detail: reason,
  })
  // Last, so that a reader of the suspended session finds the checkpoint and the incident.
  await changeSessionState(ports, task, session.session_id, { to: 'suspended', reason })
  return written
}
