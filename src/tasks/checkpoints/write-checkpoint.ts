import { HoldfastError } from '../../kernel/errors.ts'
import { datedId } from '../../kernel/id.ts'
import { missingRequired } from '../gates/required-content.ts'
import { logLine } from '../model/log-lines.ts'
import type { WrittenCheckpoint } from '../tasks.ts'
import { type CheckpointRequest, composeCheckpoint } from './compose-checkpoint.ts'
import { sampleSafety } from '../context-safety/io/sample-safety.ts'
import { enterSandbox } from '../context-safety/io/sandbox-session.ts'
import { mirrorCheckpoint } from '../memory/memorize.ts'
import { afterCheckpoint, noteInSession } from './note-checkpoint.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import { addLogLine } from '../files/session-log.ts'
import { checkpointEvents, findSpeaker } from '../files/task-events.ts'
import { appendToIndex, checkpointPath, parseCheckpoint, STATUS } from '../files/task-files.ts'
import { hashOf, type TaskWorld } from '../files/task-ports.ts'

function refuseIncomplete({ type, isObserved = false }: CheckpointRequest, missing: readonly string[]): void {
  if (missing.length === 0 || isObserved) return
  throw new HoldfastError('invalid-input', `A ${type} checkpoint needs ${missing.join(', ')}.`, {
    hint: 'Say what is missing; nothing was written.',
  })
}

/**
 * Refuses incomplete content, then writes file, index, session and status in one locked step; after that the event log and
 * the memories hear of it. What those miss, `repair` tells them again.
 */
export async function writeCheckpoint(
  world: TaskWorld,
  task: OpenTask,
  given: CheckpointRequest,
): Promise<WrittenCheckpoint> {
  const safety = given.session === undefined ? undefined : await sampleSafety(world, task, given.session)
  const request =
    safety === undefined ? given : { ...given, content: { ...given.content, safetyMetrics: { ...safety } } }
  const lacking = missingRequired(request.type, request.content)
  refuseIncomplete(request, lacking)
  const { folder, place, governance } = task
  const behind = request.session === undefined ? undefined : await findSpeaker(world, request.session)
  const contextTokens = behind?.contextTokens
  const state = await world.git.state(place.worktree)
  const at = world.clock.now()
  const id = datedId('ckpt', at, world.entropy.bytes(10))
  const git =
    state === undefined
      ? null
      : { branch: state.branch ?? null, head: state.head ?? null, uncommitted: state.dirty?.paths.length ?? 0 }
  const { checkpoint, sha256, from } = await folder.locked(() => {
    const before = getStatus(folder)
    const composed = composeCheckpoint(folder, request, { id, at, git, lacking })
    const text = folder.writeJson(checkpointPath(id), composed)
    const written = {
      file: `${id}.json`,
      sha256: hashOf(text),
      checkpoint: parseCheckpoint(text),
    }
    appendToIndex(folder, written)
    if (request.session !== undefined) noteInSession(folder, request.session, written.checkpoint, contextTokens)
    const after = afterCheckpoint(before, written.checkpoint)
    folder.writeJson(STATUS, request.changeStatus?.(after) ?? after)
    return { ...written, from: before.current_gate }
  })
  const line = logLine.checkpointCreated(governance.service, id)
  await addLogLine(world, task, request.session?.session_id, line)
  await world.continuity.recordAll(
    checkpointEvents(checkpoint, request.session, { at, cwd: place.worktree, world, from }),
  )
  if (safety?.action === 'degrade_to_sandbox') await enterSandbox(world, task, checkpoint, safety)
  return { checkpoint, sha256, line, mirrored: await mirrorCheckpoint(world, task, checkpoint) }
}
