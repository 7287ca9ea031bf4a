import { findHeads, sortChain } from '../chain/checkpoint-index.ts'
import { type Flow, getFirstGate } from '../model/gate.ts'
import { findHeldGates, findOpenGates } from '../gates/gate-rules.ts'
import { newTaskStatus, type TaskStatus } from '../model/task.ts'
import type { OpenTask } from '../files/open-task.ts'
import { addIncident, readChain, readSessions, readDefinition, readStatus, STATUS } from '../files/task-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { applyCheckpoint } from './compose-checkpoint.ts'
import { verifyStatus } from '../chain/verify-records.ts'

/** The flow of `meta/task.json`; without it, what the status says. */
export function readFlow(folder: TaskFolder): Flow {
  return readDefinition(folder)?.flow ?? findStatus(folder)?.flow ?? 'feature'
}

export function findStatus(folder: TaskFolder): TaskStatus | undefined {
  try {
    return readStatus(folder)
  } catch {
    // May be unreadable during a merge; the checkpoints have the state.
    return undefined
  }
}

/** The status after the newest checkpoint, with the other fields of the old status if it is readable. */
export function rebuildStatus(folder: TaskFolder, at: string): TaskStatus {
  const { files } = readChain(folder)
  const known = findStatus(folder)
  const flow = readFlow(folder)
  const checkpoints = sortChain(files).map(({ checkpoint }) => checkpoint)
  const isOpen = findOpenGates(flow, findHeldGates(checkpoints)).length > 0
  const readable = { ...(known ?? newTaskStatus(folder.slug, flow, getFirstGate(flow), at)), flow }
  const before: TaskStatus =
    readable.status === 'complete' && isOpen ? { ...readable, status: 'in-progress' } : readable
  const newest = findHeads(files).at(-1)?.checkpoint
  if (newest === undefined) return before
  const last_activity = newest.timestamp > before.last_activity ? newest.timestamp : before.last_activity
  // A failed health check is not in the chain and still blocks.
  const blockers = before.regression === null ? newest.state.blockers : before.blockers
  const after = applyCheckpoint(before, { ...newest, state: { ...newest.state, blockers } })
  const ids = new Set(readSessions(folder).map(({ session_id }) => session_id))
  const isKnown = (id: string | null) => id !== null && ids.has(id)
  const session = checkpoints.findLast(({ session_id }) => isKnown(session_id))?.session_id ?? null
  return { ...after, last_activity, last_session: isKnown(after.last_session) ? after.last_session : session }
}

/** Derives the status from the chain again if it differs, with an incident. Nothing is believed that the chain does not show. */
export async function restoreStatus(ports: Pick<TaskPorts, 'clock'>, { folder }: OpenTask): Promise<void> {
  const { files } = readChain(folder)
  const wrong = verifyStatus({ slug: folder.slug, flow: readFlow(folder), files, status: findStatus(folder) })
  if (wrong.length === 0) return
  const at = ports.clock.now()
  await folder.locked(() => folder.writeJson(STATUS, rebuildStatus(folder, at)))
  const detail = wrong.map(({ message }) => message).join(' ')
  await addIncident(folder, { at, kind: 'chain-unsound', session_id: null, checkpoint_id: null, detail })
}
