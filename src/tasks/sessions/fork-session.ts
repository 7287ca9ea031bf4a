import { datedId } from '../../kernel/id.ts'
import { logLine } from '../model/log-lines.ts'
import { moveSession, type TaskSession } from '../model/task-session.ts'
import { getStatus, newestCheckpoint, type OpenTask } from '../files/open-task.ts'
import { openingText } from './opening-text.ts'
import { addLogLine } from '../files/session-log.ts'
import { lifeEvents, stateEvent } from '../files/task-events.ts'
import { PROGRESS, sessionPath } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { changeSafety, readSafety } from '../context-safety/io/safety-record.ts'

/** How a session that waits for its agent is told from one that was broken off. */
const WAITING = 'forked when the context budget was reached; waits to be started'

/**
 * S2 §8.1: the child session and its opening text, made from the latest checkpoint and not from the raw transcript. It waits as
 * suspended: `session start --resume` takes it up once the session before it has ended.
 */
export async function forkSession(world: TaskWorld, task: OpenTask, parent: TaskSession): Promise<TaskSession> {
  const { folder, place, governance } = task
  const at = world.clock.now()
  const checkpoint = newestCheckpoint(folder)
  const status = getStatus(folder)
  const waiting: TaskSession = {
    ...parent,
    session_id: datedId('session', at, world.entropy.bytes(10)),
    state: 'init',
    started_at: at,
    last_activity: at,
    current_gate: status.current_gate,
    checkpoint_count: 0,
    parent_session: parent.session_id,
    child_sessions: [],
    context_tokens: null,
    resumed_from: checkpoint?.checkpoint_id ?? null,
    harness_session: null,
    ended_at: null,
    outcome: null,
    transitions: [],
  }
  const child = moveSession(waiting, 'suspended', at, WAITING)
  const opening = `logs/long-context/${child.session_id}-opening.md`
  const text = openingText({
    slug: folder.slug,
    status,
    checkpoint,
    memory: undefined,
    progress: folder.text(PROGRESS) ?? '',
    history: [],
    changed: [],
  })
  await folder.locked(() => {
    folder.writeText(opening, `${text}\n`)
    folder.writeJson(sessionPath(child.session_id), child)
  })
  await changeSafety(folder, parent.session_id, (record) => ({
    ...record,
    fork: { session_id: child.session_id, opening },
    history: [...record.history, { at, what: 'context budget reached', detail: `forked ${child.session_id}` }],
  }))
  await addLogLine(world, task, parent.session_id, logLine.contextBudget(governance.service), {
    context_tokens: readSafety(folder, parent.session_id).meter.tokens,
    child_session: child.session_id,
    opening,
  })
  const saying = { at, cwd: place.worktree, world }
  // Nobody runs it until it is started.
  await world.continuity.recordAll([stateEvent(child, saying), ...lifeEvents(child, 'ended', saying)])
  return child
}
