import { HoldfastError } from '../../kernel/errors.ts'
import { datedId } from '../../kernel/id.ts'
import type { Gate } from '../model/gate.ts'
import type { StartInput } from '../rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import { isMendable } from '../chain/verify-chain.ts'
import { reviewEmergency } from './emergency-review.ts'
import { findActive, getStatus, type OpenTask } from '../files/open-task.ts'
import { stepSession, type TakenUp } from './session-steps.ts'
import { findSpeaker, isDead, stateEvent } from '../files/task-events.ts'
import { suspendSession } from './stop-session.ts'
import { addIncident, readSessions, sessionPath } from '../files/task-files.ts'
import { verifyTask } from '../checkpoints/verify-task.ts'
import type { TaskWorld } from '../files/task-ports.ts'

/** Refuses to build on a chain that does not hold; what only wants joining or indexing does not stop anybody. */
async function refuseUnsound(world: TaskWorld, { folder }: OpenTask): Promise<void> {
  const wrong = verifyTask(folder).findings.filter((finding) => !isMendable(finding))
  if (wrong.length === 0) return
  const detail = wrong.map(({ message }) => message).join(' ')
  await addIncident(folder, {
    at: world.clock.now(),
    kind: 'chain-unsound',
    session_id: null,
    checkpoint_id: null,
    detail,
  })
  throw new HoldfastError('conflict', `The checkpoints of ${folder.slug} do not hold. ${detail}`, {
    hint: `Run \`holdfast checkpoints verify --task ${folder.slug}\`: it says what to do about each.`,
  })
}

/** Sessions that nobody is behind any more make way: suspended, with what is known of them. A live one is in the way. */
async function clearTheWay(world: TaskWorld, task: OpenTask): Promise<void> {
  const { folder, governance } = task
  for (const session of readSessions(folder)) {
    if (session.state === 'init')
      await stepSession(world, task, session.session_id, {
        to: 'suspended',
        reason: 'its startup ritual did not come to an end',
      })
    if (session.state !== 'active') continue
    if (!isDead(await findSpeaker(world, session), world, governance.silenceMs))
      throw new HoldfastError('conflict', `${session.session_id} of the task ${folder.slug} is under way.`, {
        hint: `End it with \`holdfast session end --task ${folder.slug}\`.`,
      })
    await suspendSession(world, task, session, { reason: 'nobody is behind it any more' })
  }
}

export async function refuseStart(world: TaskWorld, task: OpenTask, input: StartInput): Promise<void> {
  if (input.resume === true && input.parentSession !== undefined)
    throw new HoldfastError('invalid-input', 'A session that is taken up again keeps the parent it has.', {
      hint: 'Leave out `--parent`, or leave out `--resume` to start a new session.',
    })
  const { problem } = task.governance
  if (problem !== undefined)
    throw new HoldfastError('invalid-input', problem, { hint: 'Correct it, or remove it to go on without.' })
  const { status } = getStatus(task.folder)
  reviewEmergency(task.folder, { isReviewed: input.isReviewed === true, at: world.clock.now() })
  if (status === 'complete')
    throw new HoldfastError('conflict', `The task ${task.folder.slug} is complete.`, {
      hint: `Go back to a gate first: \`holdfast task gate ${task.folder.slug} G4 --reason …\`.`,
    })
  await refuseUnsound(world, task)
  await clearTheWay(world, task)
}

function refuseUnknownParent(sessions: readonly TaskSession[], id: string): void {
  if (sessions.some(({ session_id }) => session_id === id)) return
  throw new HoldfastError('not-found', `There is no session ${id} of this task.`)
}

function nameOf(behind: StartInput['harnessSession']): string | null {
  return behind === undefined ? null : `${behind.harness}/${behind.sessionKey}`
}

/** A suspended session as the one who takes it up has it: nobody else is behind it from then on. */
export async function takeUp(
  world: TaskWorld,
  { governance }: OpenTask,
  session: TaskSession,
  { harnessSession, agentId, goal }: StartInput,
): Promise<TakenUp> {
  const told = nameOf(harnessSession)
  const isLeft = told === null && isDead(await findSpeaker(world, session), world, governance.silenceMs)
  const behind = told ?? (isLeft ? null : session.harness_session)
  return {
    harness_session: behind,
    context_tokens: behind === session.harness_session ? session.context_tokens : null,
    agent_id: agentId ?? session.agent_id,
    goal: goal ?? session.goal,
  }
}

/** The session that starts: a new one, or the suspended one that is taken up again. */
export async function prepareSession(
  world: TaskWorld,
  { folder, place }: OpenTask,
  input: StartInput,
  facts: { readonly gate: Gate; readonly resumedFrom: string | null },
): Promise<TaskSession> {
  const sessions = readSessions(folder)
  if (input.resume === true) {
    const last = sessions.findLast(({ state }) => state === 'suspended')
    if (last !== undefined) return last
    throw new HoldfastError('not-found', `The task ${folder.slug} has no suspended session to resume.`)
  }
  if (input.parentSession !== undefined) refuseUnknownParent(sessions, input.parentSession)
  const at = world.clock.now()
  const { harnessSession: behind, goal } = input
  const session: TaskSession = {
    schema_version: 1,
    session_id: datedId('session', at, world.entropy.bytes(10)),
    agent_id: input.agentId ?? behind?.harness ?? 'operator',
    task_slug: folder.slug,
    state: 'init',
    started_at: at,
    last_activity: at,
    current_gate: facts.gate,
    checkpoint_count: 0,
    parent_session: input.parentSession ?? sessions.at(-1)?.session_id ?? null,
    child_sessions: [],
    context_tokens: null,
    goal: goal ?? null,
    resumed_from: facts.resumedFrom,
    harness_session: nameOf(behind),
    ended_at: null,
    outcome: null,
    transitions: [],
  }
  await folder.locked(() => {
    if (findActive(readSessions(folder)) !== undefined)
      throw new HoldfastError('conflict', `Another session of ${folder.slug} has just started.`)
    folder.writeJson(sessionPath(session.session_id), session)
  })
  await world.continuity.recordAll([stateEvent(session, { at, cwd: place.worktree, world })])
  return session
}
