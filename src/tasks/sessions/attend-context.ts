import { type ContextLimits, EMPTY_METER, measure } from '../../kernel/context-bands.ts'
import { logLine } from '../model/log-lines.ts'
import { type TaskSession, moveSession } from '../model/task-session.ts'
import { fullContent } from '../checkpoints/gather.ts'
import { type OpenTask, getStatus, newestCheckpoint } from '../files/open-task.ts'
import { addLogLine } from '../files/session-log.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
import { changeSafety, readSafety, type SafetyRecord } from '../context-safety/io/safety-record.ts'
import { datedId } from '../../kernel/id.ts'
import { openingText } from './opening-text.ts'
import { lifeEvents, stateEvent } from '../files/task-events.ts'
import { PROGRESS, sessionPath } from '../files/task-files.ts'

/** How a session that waits for its agent is told from one that was broken off. */
const WAITING = 'forked when the context budget was reached; waits to be started'

/**
 * S2 §8.1: the child session and its opening text, made from the latest checkpoint and not from the raw transcript. It waits as
 * suspended: `session start --resume` takes it up once the session before it has ended.
 */
async function forkSession(world: TaskWorld, task: OpenTask, parent: TaskSession): Promise<TaskSession> {
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

export interface Measurement {
  readonly tokens: number
  readonly source: NonNullable<SafetyRecord['tokens_source']>
}

/** S2 §8.4: the state as a summarized memory (the checkpoint is mirrored there), and the line that says so. */
async function refresh(world: TaskWorld, task: OpenTask, session: TaskSession, flushed: number): Promise<void> {
  const content = await fullContent(world, task, session, {
    summary: `Context refresh after ${flushed} tokens.`,
  })
  await writeCheckpoint(world, task, { type: 'context_refresh', session, content, isObserved: true })
  await addLogLine(world, task, session.session_id, logLine.contextRefresh(task.governance.service, flushed))
}

/** What one measurement of a task session's context asks for, done. Each threshold acts once for each crossing. */
export async function attendContext(
  world: TaskWorld,
  task: OpenTask,
  session: TaskSession,
  { tokens, source, limits }: Measurement & { readonly limits: ContextLimits },
): Promise<void> {
  const { folder, governance } = task
  const before = readSafety(folder, session.session_id)
  const { meter, crossed, flushed } = measure(before.meter, tokens, limits)
  const isNews = crossed.length > 0 || flushed !== undefined || meter.fired.length !== before.meter.fired.length
  const isDrop = tokens < before.meter.tokens
  if (!isNews && !isDrop) return
  // First, so that whatever fails below does not act a second time on the same crossing.
  await changeSafety(folder, session.session_id, (record) => ({
    ...record,
    meter: { ...meter, fired: [...meter.fired] },
    tokens_source: source,
  }))
  for (const band of crossed) {
    const line = `[${governance.service}] Context at ${limits.percent[band]} percent`
    await addLogLine(world, task, session.session_id, line, { band, context_tokens: tokens, source })
  }
  if (flushed !== undefined) await refresh(world, task, session, flushed)
  if (!crossed.includes('fork')) return
  // The child opens with the latest checkpoint: it must be of now.
  if (flushed === undefined) {
    const content = await fullContent(world, task, session, { summary: 'Context budget reached.' })
    await writeCheckpoint(world, task, { type: 'context_refresh', session, content, isObserved: true })
  }
  await forkSession(world, task, session)
}

/** After the harness emptied the context: everything is armed again. */
export async function rearm({ folder }: OpenTask, session: TaskSession): Promise<void> {
  if (readSafety(folder, session.session_id).meter.tokens === 0) return
  await changeSafety(folder, session.session_id, (record) => ({ ...record, meter: { ...EMPTY_METER, fired: [] } }))
}
