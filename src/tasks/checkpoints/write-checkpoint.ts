import { HoldfastError } from '../../kernel/errors.ts'
import { datedId } from '../../kernel/id.ts'
import { findMissingRequired } from '../gates/gate-rules.ts'
import { logLine } from '../model/log-lines.ts'
import type { CheckpointResult } from '../tasks.ts'
import { type CheckpointRequest, composeCheckpoint, applyCheckpoint, updateSessionFile } from './compose-checkpoint.ts'
import { checkListedFiles } from './checkpoint-content.ts'
import { sampleSafety } from '../context-safety/io/sample-safety.ts'
import { enterSandbox } from '../context-safety/io/sandbox.ts'
import { mirrorCheckpoint } from '../memory/task-memory.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import { addLogLine, appendToIndex, checkpointPath, parseCheckpoint, STATUS } from '../files/task-files.ts'
import { createCheckpointEvents, findHarnessSession } from '../files/task-events.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { sha256 } from '../../platform/base/crypto.ts'

function refuseIncomplete({ type, isObserved = false }: CheckpointRequest, missing: readonly string[]): void {
  if (missing.length === 0 || isObserved) return
  throw new HoldfastError('invalid-input', `A ${type} checkpoint needs ${missing.join(', ')}.`, {
    hint: 'Add the missing parts; nothing was written.',
  })
}

/**
 * Refuses incomplete content, then writes file, index, session and status in one locked step. Events and memories follow;
 * `repair` adds those that fail.
 */
export async function writeCheckpoint(
  ports: TaskPorts,
  task: OpenTask,
  given: CheckpointRequest,
): Promise<CheckpointResult> {
  const safety = given.session === undefined ? undefined : await sampleSafety(ports, task, given.session)
  const request =
    safety === undefined ? given : { ...given, content: { ...given.content, safetyMetrics: { ...safety } } }
  const missing = findMissingRequired(request.type, request.content)
  refuseIncomplete(request, missing)
  const { folder, location, governance } = task
  const harnessSession = request.session === undefined ? undefined : await findHarnessSession(ports, request.session)
  const contextTokens = harnessSession?.contextTokens
  const state = await ports.git.state(location.worktree)
  const at = ports.clock.now()
  const id = datedId('ckpt', at, ports.entropy.bytes(10))
  const git =
    state === undefined
      ? null
      : { branch: state.branch ?? null, head: state.head ?? null, uncommitted: state.dirty?.paths.length ?? 0 }
  const {
    checkpoint,
    sha256: hash,
    from,
    isNew,
  } = await folder.locked(() => {
    const known = request.findWritten?.()
    if (known !== undefined) return { ...known, from: known.checkpoint.gate, isNew: false }
    const before = getStatus(folder)
    const composed = composeCheckpoint(folder, request, { id, at, git, absent: missing })
    const text = folder.writeJson(checkpointPath(id), composed)
    const written = {
      file: `${id}.json`,
      sha256: sha256(text),
      checkpoint: parseCheckpoint(text),
    }
    appendToIndex(folder, written)
    if (request.session !== undefined) updateSessionFile(folder, request.session, written.checkpoint, contextTokens)
    const after = applyCheckpoint(before, written.checkpoint)
    folder.writeJson(STATUS, request.changeStatus?.(after) ?? after)
    return { ...written, from: before.current_gate, isNew: true }
  })
  if (!isNew)
    return {
      checkpoint,
      sha256: hash,
      line: logLine.checkpointCreated(governance.service, checkpoint.checkpoint_id),
      mirrored: true,
    }
  const line = logLine.checkpointCreated(governance.service, id)
  await addLogLine(ports, task, request.session?.session_id, line)
  await ports.continuity.recordAll(
    createCheckpointEvents(checkpoint, request.session, { at, cwd: location.worktree, ports, from }),
  )
  if (safety?.action === 'degrade_to_sandbox') await enterSandbox(ports, task, checkpoint, safety)
  return { checkpoint, sha256: hash, line, mirrored: await mirrorCheckpoint(ports, task, checkpoint) }
}

/** A checkpoint that an agent or a person describes: its list of files is checked against the disk. */
export async function writeGivenCheckpoint(
  ports: TaskPorts,
  task: OpenTask,
  request: Pick<CheckpointRequest, 'type' | 'content' | 'session'>,
): Promise<CheckpointResult> {
  return writeCheckpoint(ports, task, { ...request, evidence: await checkListedFiles(task, request.content) })
}
