import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import type { ProcessRef } from '../../kernel/event.ts'
import { type TaskSessionState, transition } from '../../kernel/task-session-state.ts'
import { moveSession, type Outcome, type TaskSession } from '../model/task-session.ts'
import { findActive, getCurrentSession, type OpenTask } from '../files/open-task.ts'
import { findSpeaker, hasDied, lifeEvents, stateEvent } from '../files/task-events.ts'
import { readSession, readSessions, sessionPath } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'

/** What changes with the one who takes a session up. */
export type TakenUp = Pick<TaskSession, 'harness_session' | 'context_tokens' | 'agent_id' | 'goal'>

export interface Step {
  readonly to: TaskSessionState
  readonly reason: string
  readonly outcome?: Outcome
  readonly process?: ProcessRef | undefined
  readonly takenUp?: TakenUp | undefined
}

/** Takes one step, in the file and in the event log. Refuses an illegal one, naming the legal ones. */
export async function stepSession(
  world: TaskWorld,
  { folder, place }: OpenTask,
  sessionId: string,
  step: Step,
): Promise<TaskSession> {
  const at = world.clock.now()
  const session = await folder.locked(() => {
    const before = readSession(folder, sessionId)
    if (before === undefined)
      throw new HoldfastError('not-found', `There is no session ${sessionId} of ${folder.slug}.`)
    const moved = moveSession(before, step.to, at, step.reason)
    const after: TaskSession = {
      ...moved,
      ...step.takenUp,
      ...(step.outcome !== undefined && { outcome: step.outcome }),
    }
    folder.writeJson(sessionPath(sessionId), after)
    return after
  })
  const saying = { at, cwd: place.worktree, world, process: step.process }
  const isDying = step.to === 'suspended' && hasDied(await findSpeaker(world, session), world)
  await world.continuity.recordAll([
    ...(step.to === 'active' ? lifeEvents(session, 'started', saying) : []),
    stateEvent(session, saying),
    ...(step.to === 'active' || isDying ? [] : lifeEvents(session, 'ended', saying)),
  ])
  return session
}

/**
 * The session that speaks now: the active one, or the one that was taken for dead and speaks again, which makes it active.
 * Undefined when there is none.
 */
export async function wakeSession(world: TaskWorld, task: OpenTask): Promise<TaskSession | undefined> {
  const sessions = readSessions(task.folder)
  const active = findActive(sessions)
  if (active !== undefined) return active
  const last = sessions.at(-1)
  const wasInterrupted = last?.state === 'suspended' && last.transitions.at(-1)?.from === 'active'
  if (last === undefined || !wasInterrupted) return undefined
  return stepSession(world, task, last.session_id, {
    to: 'active',
    reason: 'it was taken for dead and spoke again',
    process: last.harness_session === null ? world.behind() : undefined,
  })
}

/**
 * Asking after a session that is under way starts the daemon where it was killed together with the agent, and that finds out
 * who is still there. What the files say can be told without it.
 */
export async function askAfter(world: TaskWorld, active: TaskSession | null): Promise<void> {
  if (active === null) return
  try {
    await findSpeaker(world, active)
  } catch (error) {
    world.log.warn('nobody asked after a task session', { session: active.session_id, error: messageOf(error) })
  }
}

/** The session to end: one that was taken for dead and speaks again is active first. */
export async function sessionToEnd(world: TaskWorld, task: OpenTask, id: string | undefined): Promise<TaskSession> {
  const session = getCurrentSession(task.folder, id)
  if (session.state !== 'suspended') {
    // Before anything is written: what cannot end says so, and names what it can become.
    transition(session.state, 'complete')
    return session
  }
  return stepSession(world, task, session.session_id, {
    to: 'active',
    reason: 'it is being ended',
    process: session.harness_session === null ? world.behind() : undefined,
  })
}
