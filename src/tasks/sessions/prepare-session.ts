import { HoldfastError } from '../../kernel/errors.ts'
import { datedId } from '../../kernel/id.ts'
import type { Gate } from '../model/gate.ts'
import type { StartInput } from '../rituals.ts'
import { createTaskSession, type TaskSession } from '../model/task-session.ts'
import { isRepairable } from '../chain/verify-chain.ts'
import { requireEmergencyReview } from './emergency-stop.ts'
import { findActiveSession, refuseComplete, type OpenTask } from '../files/open-task.ts'
import type { SessionOwner } from './session-transitions.ts'
import { suspendSession } from './suspend-session.ts'
import {
  createLifecycleEvents,
  createStateEvent,
  findHarnessSession,
  isAbandoned,
  isDead,
} from '../files/task-events.ts'
import { addIncident, addSessionFile, readSessions } from '../files/task-files.ts'
import { restoreStatus } from '../checkpoints/rebuild-status.ts'
import { verifyTask } from '../checkpoints/verify-task.ts'
import type { TaskPorts } from '../files/task-ports.ts'

/** Refuses a chain with findings that `repair` cannot fix. */
async function refuseBrokenChain(ports: TaskPorts, { folder }: OpenTask): Promise<void> {
  const problems = verifyTask(folder).findings.filter((finding) => !isRepairable(finding))
  if (problems.length === 0) return
  const detail = problems.map(({ message }) => message).join(' ')
  await addIncident(folder, {
    at: ports.clock.now(),
    kind: 'chain-unsound',
    session_id: null,
    checkpoint_id: null,
    detail,
  })
  throw new HoldfastError('conflict', `The checkpoint chain of ${folder.slug} is broken. ${detail}`, {
    hint: `Run \`holdfast checkpoints verify --task ${folder.slug}\` to see the remedies.`,
  })
}

/** Suspends sessions whose process is gone; refuses while one is live. */
async function suspendDeadSessions(ports: TaskPorts, task: OpenTask): Promise<void> {
  const { folder, governance } = task
  for (const session of readSessions(folder)) {
    if (session.state === 'init')
      await suspendSession(ports, task, session, { reason: 'its startup steps did not finish' })
    if (session.state !== 'active') continue
    if (!(await isAbandoned(ports, session, governance.silenceMs)))
      throw new HoldfastError('conflict', `${session.session_id} of the task ${folder.slug} is still active.`, {
        hint: `End it with \`holdfast session end --task ${folder.slug}\`.`,
      })
    await suspendSession(ports, task, session, { reason: 'its process is gone' })
  }
}

export async function refuseStart(ports: TaskPorts, task: OpenTask, input: StartInput): Promise<void> {
  if (input.resume === true && input.parentSession !== undefined)
    throw new HoldfastError('invalid-input', 'A resumed session already has a parent.', {
      hint: 'Omit `--parent`, or omit `--resume` to start a new session.',
    })
  const { problem } = task.governance
  if (problem !== undefined)
    throw new HoldfastError('invalid-input', problem, { hint: 'Correct it, or remove it to use the defaults.' })
  requireEmergencyReview(task.folder, { isReviewed: input.isReviewed === true, at: ports.clock.now() })
  await refuseBrokenChain(ports, task)
  await restoreStatus(ports, task)
  refuseComplete(task.folder)
  await suspendDeadSessions(ports, task)
}

function refuseUnknownParent(sessions: readonly TaskSession[], id: string): void {
  if (sessions.some(({ session_id }) => session_id === id)) return
  throw new HoldfastError('not-found', `There is no session ${id} of this task.`)
}

function formatHarnessSession(given: StartInput['harnessSession']): string | null {
  return given === undefined ? null : `${given.harness}/${given.sessionKey}`
}

/** The owner fields of a suspended session after it is resumed. A dead former owner is dropped. */
export async function findNewOwner(
  ports: TaskPorts,
  { governance }: OpenTask,
  session: TaskSession,
  { harnessSession, agentId, goal }: StartInput,
): Promise<SessionOwner> {
  const given = formatHarnessSession(harnessSession)
  const isOwnerGone = given === null && isDead(await findHarnessSession(ports, session), ports, governance.silenceMs)
  const owner = given ?? (isOwnerGone ? null : session.harness_session)
  return {
    harness_session: owner,
    context_tokens: owner === session.harness_session ? session.context_tokens : null,
    agent_id: agentId ?? session.agent_id,
    goal: goal ?? session.goal,
  }
}

/** Creates the session that starts, or with `resume` finds the suspended one. */
export async function prepareSession(
  ports: TaskPorts,
  { folder, location }: OpenTask,
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
  const at = ports.clock.now()
  const session = createTaskSession(
    {
      session_id: datedId('session', at, ports.entropy.bytes(10)),
      agent_id: input.agentId ?? input.harnessSession?.harness ?? 'operator',
      task_slug: folder.slug,
      current_gate: facts.gate,
      parent_session: input.parentSession ?? sessions.at(-1)?.session_id ?? null,
      goal: input.goal ?? null,
      resumed_from: facts.resumedFrom,
      harness_session: formatHarnessSession(input.harnessSession),
    },
    at,
  )
  // Before the file, so that the daemon finds a start that is cut off at any point.
  // A harness session has a process already; that of this command would end with it, and the session would count as dead.
  const starter = session.harness_session === null ? input.starter : undefined
  const context = { at, cwd: location.worktree, ports, process: starter ?? input.process }
  await ports.continuity.recordAll([
    ...createLifecycleEvents(session, 'started', context),
    createStateEvent(session, context),
  ])
  await folder.locked(() => {
    if (findActiveSession(readSessions(folder)) !== undefined)
      throw new HoldfastError('conflict', `Another session of ${folder.slug} has just started.`)
    addSessionFile(folder, session)
  })
  return session
}
