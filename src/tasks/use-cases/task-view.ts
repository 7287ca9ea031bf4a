import { buildIndex } from '../chain/checkpoint-index.ts'
import { findHeldGates, findOpenGates } from '../gates/gate-rules.ts'
import type { TaskDetail, TaskView } from '../tasks.ts'
import {
  listCheckpoints,
  findActiveSession,
  getDefinition,
  getStatus,
  findNewestCheckpoint,
  type OpenTask,
} from '../files/open-task.ts'
import { readChain, readSessions } from '../files/task-files.ts'
import { verifyTask } from '../checkpoints/verify-task.ts'
import { sha256 } from '../../platform/base/crypto.ts'

export function readTaskView({ folder }: OpenTask): TaskView {
  const definition = getDefinition(folder)
  const held = findHeldGates(listCheckpoints(folder))
  return {
    definition,
    status: getStatus(folder),
    gates_held: [...held],
    gates_open: findOpenGates(definition.flow, held),
    active_session: findActiveSession(readSessions(folder)) ?? null,
  }
}

export function readTaskDetail(task: OpenTask): TaskDetail {
  const { folder } = task
  return {
    ...readTaskView(task),
    sessions: readSessions(folder),
    index: buildIndex(folder.slug, readChain(folder).files, sha256),
    last_checkpoint: findNewestCheckpoint(folder),
    findings: verifyTask(folder).findings,
  }
}
