import { buildIndex, headsOf, inChainOrder } from '../chain/checkpoint-index.ts'
import { firstGate } from '../model/flow.ts'
import { newTaskStatus, type TaskStatus } from '../model/task-status.ts'
import type { Verification } from '../tasks.ts'
import { isMendable, verifyChain } from '../chain/verify-chain.ts'
import { TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { mirrorCheckpoint } from '../memory/memorize.ts'
import type { OpenTask } from '../files/open-task.ts'
import { checkpointEvents } from '../files/task-events.ts'
import { INDEX, readChain, readDefinition, readIndex, readSessions, readStatus, STATUS } from '../files/task-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import { hashOf, type TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

const LOOKED_THROUGH = 500

export function verifyTask(folder: TaskFolder): Verification {
  const { files, unreadable } = readChain(folder)
  const sessions = readSessions(folder)
  const findings = verifyChain({
    slug: folder.slug,
    files,
    unreadable,
    index: readIndex(folder),
    sessions: new Set(sessions.map(({ session_id }) => session_id)),
    sha256: hashOf,
  })
  return {
    slug: folder.slug,
    checkpoints: files.length,
    sessions: sessions.length,
    head: headsOf(files).at(-1)?.checkpoint.checkpoint_id ?? null,
    findings,
  }
}

function findStatus(folder: TaskFolder): TaskStatus | undefined {
  try {
    return readStatus(folder)
  } catch {
    // In the middle of a merge it may be anything; the checkpoints say where the task stands.
    return undefined
  }
}

/** The status that the newest checkpoint tells; what no checkpoint knows stays, where the old one can be read. */
function rebuiltStatus(folder: TaskFolder, at: string): TaskStatus {
  const { files } = readChain(folder)
  const known = findStatus(folder)
  const flow = known?.flow ?? readDefinition(folder)?.flow ?? 'feature'
  const before = known ?? newTaskStatus(folder.slug, flow, firstGate(flow), at)
  const newest = headsOf(files).at(-1)?.checkpoint
  if (newest === undefined) return before
  const { blockers } = newest.state
  return {
    ...before,
    current_gate: newest.gate,
    current_step: newest.step,
    last_session: newest.session_id ?? before.last_session,
    last_activity: newest.timestamp > before.last_activity ? newest.timestamp : before.last_activity,
    last_checkpoint: newest.checkpoint_id,
    blockers,
    next_steps: newest.next_steps,
    status: blockers.length > 0 ? 'blocked' : before.status === 'blocked' ? 'in-progress' : before.status,
  }
}

/** The store hears what it missed: events by their ids, which are no second fact, and memories that are not there. */
async function tellStore(world: TaskWorld, task: OpenTask): Promise<void> {
  const { folder, place } = task
  const sessions = new Map(readSessions(folder).map((session) => [session.session_id, session]))
  const checkpoints = inChainOrder(readChain(folder).files).map(({ checkpoint }) => checkpoint)
  const known = await world.continuity.listMemories({ cwd: place.worktree, limit: LOOKED_THROUGH })
  const mirrored = new Set(known.filter(({ tags }) => tags.includes(TASK_CHECKPOINT_TAG)).flatMap(({ tags }) => tags))
  for (const checkpoint of checkpoints) {
    const session = checkpoint.session_id === null ? undefined : sessions.get(checkpoint.session_id)
    const saying = { at: checkpoint.timestamp, cwd: place.worktree, world }
    await world.continuity.recordAll(checkpointEvents(checkpoint, session, saying))
    if (!mirrored.has(checkpoint.checkpoint_id)) await mirrorCheckpoint(world, task, checkpoint)
  }
}

/** Mends what can be mended without losing a trace: a file that is missing or was changed stays a finding. */
export async function repairTask(world: TaskWorld, task: OpenTask): Promise<Verification> {
  const { folder } = task
  if (!verifyTask(folder).findings.every(isMendable)) return verifyTask(folder)
  await folder.locked(() => {
    folder.writeJson(INDEX, buildIndex(folder.slug, readChain(folder).files, hashOf))
    folder.writeJson(STATUS, rebuiltStatus(folder, world.clock.now()))
  })
  const heads = headsOf(readChain(folder).files)
  if (heads.length > 1) {
    const lines = heads.map(({ checkpoint }) => `${checkpoint.gate} ${checkpoint.summary}`)
    await writeCheckpoint(world, task, {
      type: 'explicit',
      session: undefined,
      content: {
        summary: `Joined ${heads.length} lines of work: ${lines.join(' | ')}`,
        nextSteps: [...new Set(heads.flatMap(({ checkpoint }) => checkpoint.next_steps))],
        blockers: [...new Set(heads.flatMap(({ checkpoint }) => checkpoint.state.blockers))],
      },
    })
    await folder.locked(() => folder.writeJson(INDEX, buildIndex(folder.slug, readChain(folder).files, hashOf)))
  }
  await tellStore(world, task)
  return verifyTask(folder)
}
