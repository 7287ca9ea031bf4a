import { buildIndex, findHeads, sortChain } from '../chain/checkpoint-index.ts'
import { verifyRecords } from '../chain/verify-records.ts'
import type { ChainVerification } from '../tasks.ts'
import { isRepairable, verifyChain } from '../chain/verify-chain.ts'
import { TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { mirrorCheckpoint } from '../memory/task-memory.ts'
import type { OpenTask } from '../files/open-task.ts'
import { createCheckpointEvents } from '../files/task-events.ts'
import {
  INDEX,
  listUnreadableSessions,
  readChain,
  readIndex,
  readSessions,
  sessionPath,
  STATUS,
} from '../files/task-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from './write-checkpoint.ts'
import { findStatus, readFlow, rebuildStatus } from './rebuild-status.ts'
import { sha256 } from '../../platform/base/crypto.ts'

const MAX_MEMORIES = 500

export function verifyTask(folder: TaskFolder): ChainVerification {
  const { files, unreadable } = readChain(folder)
  const sessions = readSessions(folder)
  const status = findStatus(folder)
  const findings = [
    ...verifyChain({
      slug: folder.slug,
      files,
      unreadable,
      index: readIndex(folder),
      sessions: new Set(sessions.map(({ session_id }) => session_id)),
      sha256,
    }),
    ...verifyRecords({
      slug: folder.slug,
      flow: readFlow(folder),
      files,
      status,
      sessions,
      unreadableSessions: listUnreadableSessions(folder, sessions),
    }),
  ]
  return {
    slug: folder.slug,
    checkpoints: files.length,
    sessions: sessions.length,
    head: findHeads(files).at(-1)?.checkpoint.checkpoint_id ?? null,
    findings,
  }
}

/** Derives the counts, gates and children of the session files again. */
function rewriteSessions(folder: TaskFolder): void {
  const files = sortChain(readChain(folder).files)
  for (const session of readSessions(folder)) {
    const own = files.filter(({ checkpoint }) => checkpoint.session_id === session.session_id)
    const current_gate = own.at(-1)?.checkpoint.gate ?? session.current_gate
    folder.writeJson(sessionPath(session.session_id), { ...session, current_gate, checkpoint_count: own.length })
  }
}

/** Records events and memories that the store lacks. Events have stable ids, so known ones are ignored. */
async function backfillStore(ports: TaskPorts, task: OpenTask): Promise<void> {
  const { folder, location } = task
  const sessions = new Map(readSessions(folder).map((session) => [session.session_id, session]))
  const checkpoints = sortChain(readChain(folder).files).map(({ checkpoint }) => checkpoint)
  const known = await ports.continuity.listMemories({ cwd: location.worktree, includeTasks: true, limit: MAX_MEMORIES })
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
    rewriteSessions(folder)
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
