import { buildIndex, findHeads, sortChain } from '../chain/checkpoint-index.ts'
import { getFirstGate } from '../model/gate.ts'
import { newTaskStatus, type TaskStatus } from '../model/task.ts'
import type { ChainVerification } from '../tasks.ts'
import { isRepairable, verifyChain } from '../chain/verify-chain.ts'
import { TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { mirrorCheckpoint } from '../memory/task-memory.ts'
import type { OpenTask } from '../files/open-task.ts'
import { createCheckpointEvents } from '../files/task-events.ts'
import { INDEX, readChain, readDefinition, readIndex, readSessions, readStatus, STATUS } from '../files/task-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from './write-checkpoint.ts'
import { applyCheckpoint } from './compose-checkpoint.ts'
import { sha256 } from '../../platform/base/crypto.ts'

const MAX_MEMORIES = 500

export function verifyTask(folder: TaskFolder): ChainVerification {
  const { files, unreadable } = readChain(folder)
  const sessions = readSessions(folder)
  const findings = verifyChain({
    slug: folder.slug,
    files,
    unreadable,
    index: readIndex(folder),
    sessions: new Set(sessions.map(({ session_id }) => session_id)),
    sha256,
  })
  return {
    slug: folder.slug,
    checkpoints: files.length,
    sessions: sessions.length,
    head: findHeads(files).at(-1)?.checkpoint.checkpoint_id ?? null,
    findings,
  }
}

function findStatus(folder: TaskFolder): TaskStatus | undefined {
  try {
    return readStatus(folder)
  } catch {
    // May be unreadable during a merge; the checkpoints have the state.
    return undefined
  }
}

/** The status after the newest checkpoint, with the other fields of the old status if it is readable. */
function rebuildStatus(folder: TaskFolder, at: string): TaskStatus {
  const { files } = readChain(folder)
  const known = findStatus(folder)
  const flow = known?.flow ?? readDefinition(folder)?.flow ?? 'feature'
  const before = known ?? newTaskStatus(folder.slug, flow, getFirstGate(flow), at)
  const newest = findHeads(files).at(-1)?.checkpoint
  if (newest === undefined) return before
  const last_activity = newest.timestamp > before.last_activity ? newest.timestamp : before.last_activity
  return { ...applyCheckpoint(before, newest), last_activity }
}

/** Records events and memories that the store lacks. Events have stable ids, so known ones are ignored. */
async function backfillStore(ports: TaskPorts, task: OpenTask): Promise<void> {
  const { folder, location } = task
  const sessions = new Map(readSessions(folder).map((session) => [session.session_id, session]))
  const checkpoints = sortChain(readChain(folder).files).map(({ checkpoint }) => checkpoint)
  const known = await ports.continuity.listMemories({ cwd: location.worktree, limit: MAX_MEMORIES })
  const mirrored = new Set(known.filter(({ tags }) => tags.includes(TASK_CHECKPOINT_TAG)).flatMap(({ tags }) => tags))
  for (const checkpoint of checkpoints) {
    const session = checkpoint.session_id === null ? undefined : sessions.get(checkpoint.session_id)
    const context = { at: checkpoint.timestamp, cwd: location.worktree, ports }
    await ports.continuity.recordAll(createCheckpointEvents(checkpoint, session, context))
    if (!mirrored.has(checkpoint.checkpoint_id)) await mirrorCheckpoint(ports, task, checkpoint)
  }
}

/** Repairs index, status and forks. A missing or changed file stays a finding. */
export async function repairTask(ports: TaskPorts, task: OpenTask): Promise<ChainVerification> {
  const { folder } = task
  if (!verifyTask(folder).findings.every(isRepairable)) return verifyTask(folder)
  await folder.locked(() => {
    folder.writeJson(INDEX, buildIndex(folder.slug, readChain(folder).files, sha256))
    folder.writeJson(STATUS, rebuildStatus(folder, ports.clock.now()))
  })
  const heads = findHeads(readChain(folder).files)
  if (heads.length > 1) {
    const lines = heads.map(({ checkpoint }) => `${checkpoint.gate} ${checkpoint.summary}`)
    await writeCheckpoint(ports, task, {
      type: 'explicit',
      session: undefined,
      content: {
        summary: `Joined ${heads.length} lines of work: ${lines.join(' | ')}`,
        nextSteps: [...new Set(heads.flatMap(({ checkpoint }) => checkpoint.next_steps))],
        blockers: [...new Set(heads.flatMap(({ checkpoint }) => checkpoint.state.blockers))],
      },
    })
    await folder.locked(() => folder.writeJson(INDEX, buildIndex(folder.slug, readChain(folder).files, sha256)))
  }
  await backfillStore(ports, task)
  return verifyTask(folder)
}
