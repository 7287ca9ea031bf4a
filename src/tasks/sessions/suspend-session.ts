import type { ChainFile } from '../chain/checkpoint-index.ts'
import { logLine } from '../model/log-lines.ts'
import type { CheckpointContent } from '../model/task-checkpoint.ts'
import type { SessionOutcome, TaskSession } from '../model/task-session.ts'
import type { CheckpointResult } from '../tasks.ts'
import { transition } from '../../kernel/task-session-state.ts'
import { collectContent, findObservedCheckpoint } from '../checkpoints/checkpoint-content.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
import type { OpenTask } from '../files/open-task.ts'
import { addIncidentOnce, addLogLine, readChain, readSession } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { changeSessionState } from './session-transitions.ts'

/** Writes the line that ends the log of a session. */
export async function logSessionEnd(
  ports: TaskPorts,
  task: OpenTask,
  sessionId: string,
  outcome: SessionOutcome | 'interrupted' | 'terminated',
): Promise<string> {
  const line = logLine.sessionEnd(task.governance.service, sessionId, outcome)
  await addLogLine(ports, task, sessionId, line)
  return line
}

export interface Suspension {
  readonly reason: string
  readonly content?: CheckpointContent | undefined
}

/** The interrupted checkpoint of the session's current run: another process may have found the same interruption. */
function findInterruption({ folder }: OpenTask, sessionId: string): ChainFile | undefined {
  const since = readSession(folder, sessionId)?.transitions.findLast(({ to }) => to === 'active')?.at ?? ''
  return readChain(folder).files.find(
    ({ checkpoint }) =>
      checkpoint.type === 'interrupted' && checkpoint.session_id === sessionId && checkpoint.timestamp >= since,
  )
}

/** Writes an `interrupted` checkpoint from the last known state and an incident, then suspends the session: once per interruption. */
export async function suspendSession(
  ports: TaskPorts,
  task: OpenTask,
  session: TaskSession,
  { reason, content = {} }: Suspension,
): Promise<CheckpointResult> {
  const { folder } = task
  const id = session.session_id
  transition(session.state, 'suspended')
  const observed = await findObservedCheckpoint(ports, session)
  const known = observed === undefined ? '' : ` Last seen: ${observed.summary}`
  const written = await writeCheckpoint(ports, task, {
    type: 'interrupted',
    session,
    content: await collectContent(ports, task, session, {
      ...content,
      summary: content.summary ?? `Interrupted: ${reason}.${known}`,
    }),
    findWritten: () => findInterruption(task, id),
  })
  const checkpointId = written.checkpoint.checkpoint_id
  await addIncidentOnce(folder, {
    at: ports.clock.now(),
    kind: 'interrupted',
    session_id: id,
    checkpoint_id: checkpointId,
    detail: reason,
  })
  // Last, so that a reader of the suspended session finds the checkpoint and the incident.
  const isOpen = () => ['active', 'init'].includes(readSession(folder, id)?.state ?? '')
  if (!isOpen()) return written
  try {
    await changeSessionState(ports, task, id, { to: 'suspended', reason })
  } catch (thrown) {
    // The other process was faster.
    if (isOpen()) throw thrown
    return written
  }
  await logSessionEnd(ports, task, id, 'interrupted')
  return written
}
