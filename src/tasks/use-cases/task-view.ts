import { buildIndex } from '../chain/checkpoint-index.ts'
import { gatesHeld, openGates } from '../gates/preconditions.ts'
import type { TaskDetail, TaskView } from '../tasks.ts'
import {
  checkpointsOf,
  findActive,
  getDefinition,
  getStatus,
  newestCheckpoint,
  type OpenTask,
} from '../files/open-task.ts'
import { readChain, readSessions } from '../files/task-files.ts'
import { verifyTask } from '../checkpoints/verify-task.ts'
import { hashOf } from '../files/task-ports.ts'

export function viewOf({ folder }: OpenTask): TaskView {
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

export function detailOf(task: OpenTask): TaskDetail {
  const { folder } = task
  return {
    ...viewOf(task),
    sessions: readSessions(folder),
    index: buildIndex(folder.slug, readChain(folder).files, hashOf),
    last_checkpoint: newestCheckpoint(folder),
    findings: verifyTask(folder).findings,
  }
}
