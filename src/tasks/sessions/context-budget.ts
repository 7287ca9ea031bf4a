import { type ContextLimits, EMPTY_METER, updateMeter } from '../../kernel/context-meter.ts'
import { logLine } from '../model/log-lines.ts'
import { type TaskSession, applyTransition, createTaskSession } from '../model/task-session.ts'
import { collectContent, findObservedCheckpoint } from '../checkpoints/checkpoint-content.ts'
import type { CheckpointContent, TaskCheckpoint } from '../model/task-checkpoint.ts'
import { type OpenTask, getStatus } from '../files/open-task.ts'
import { addLogLine, addSessionFile, PROGRESS, readSession } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
import { updateSafety, readSafety, type SafetyRecord } from '../context-safety/io/safety-record.ts'
import { datedId } from '../../kernel/id.ts'
import { renderOpening } from './opening-text.ts'
import { createLifecycleEvents, createStateEvent, findHarnessSession } from '../files/task-events.ts'
import { openTaskFolder } from '../files/task-folder.ts'
import type { TaskLink } from '../files/task-links.ts'

/** What the agent has to hear: the child session that waits for this one to end, and the newest summary of a refresh. */
export async function readContextNotices(
  ports: TaskPorts,
  link: TaskLink,
): Promise<Pick<SafetyRecord, 'fork' | 'refresh'>> {
  const redactor = await ports.redactors.forWorktree(link.root)
  const folder = openTaskFolder({ root: link.root, slug: link.slug, redactor })
  return readSafety(folder, link.taskSession)
}

/** It may have ended since its context was measured. */
function isActive({ folder }: OpenTask, { session_id: id }: TaskSession): boolean {
  return readSession(folder, id)?.state === 'active'
}

const WAITING = 'forked when the context budget was reached; waits to be started'

/**
 * Creates the child session and its opening text from the latest checkpoint, not from the raw transcript. The child
 * is suspended until `session start --resume` starts it after its parent has ended.
 */
async function forkSession(
  ports: TaskPorts,
  task: OpenTask,
  parent: TaskSession,
  checkpoint: TaskCheckpoint,
): Promise<void> {
  const { folder, location, governance } = task
  const at = ports.clock.now()
  const status = getStatus(folder)
  const created = createTaskSession(
    {
      session_id: datedId('session', at, ports.entropy.bytes(10)),
      agent_id: parent.agent_id,
      task_slug: parent.task_slug,
      current_gate: status.current_gate,
      parent_session: parent.session_id,
      goal: parent.goal,
      resumed_from: checkpoint.checkpoint_id,
      harness_session: null,
    },
    at,
  )
  const child = applyTransition(created, 'suspended', at, WAITING)
  const opening = `logs/long-context/${child.session_id}-opening.md`
  const text = renderOpening(
    task,
    { checkpoint, goal: parent.goal },
    { memory: undefined, progress: folder.text(PROGRESS) ?? '', history: [], changed: [] },
  )
  const isForked = await folder.locked(() => {
    if (!isActive(task, parent)) return false
    folder.writeText(opening, `${text}\n`)
    addSessionFile(folder, child)
    return true
  })
  if (!isForked) return
  await updateSafety(folder, parent.session_id, (record) => ({
    ...record,
    fork: { session_id: child.session_id, opening },
    history: [...record.history, { at, what: 'context budget reached', detail: `forked ${child.session_id}` }],
  }))
  await addLogLine(ports, task, parent.session_id, logLine.contextBudget(governance.service), {
    context_tokens: readSafety(folder, parent.session_id).meter.tokens,
    child_session: child.session_id,
    opening,
  })
  const context = { at, cwd: location.worktree, ports }
  await ports.continuity.recordAll([
    createStateEvent(child, context),
    ...createLifecycleEvents(child, 'ended', context),
  ])
}

export interface ContextMeasurement {
  readonly tokens: number
  readonly source: NonNullable<SafetyRecord['tokens_source']>
}

/** Most decisions are sentences of the agent, and not marked as such. */
const SAID_STATEMENTS = 4

/** The state of the work now, from the harness session: a checkpoint of it is taken first, so that it is current. */
async function collectCurrentState(
  ports: TaskPorts,
  task: OpenTask,
  session: TaskSession,
  heading: string,
): Promise<CheckpointContent> {
  const harnessSession = await findHarnessSession(ports, session)
  if (harnessSession !== undefined) await ports.continuity.checkpoint(harnessSession.id, 'context_refresh')
  const observed = await findObservedCheckpoint(ports, session)
  const asked = observed?.work.asks.at(-1)?.text
  const said = [...new Set(observed?.work.statements.slice(-SAID_STATEMENTS).map(({ text }) => text))].join(' ')
  return collectContent(ports, task, session, {
    summary: [
      heading,
      observed?.summary,
      asked === undefined ? undefined : `Asked: ${asked}`,
      said === '' ? undefined : `Said: ${said}`,
    ]
      .filter((part) => part !== undefined && part !== '')
      .join(' '),
  })
}

/** Saves a summary of the work as a checkpoint, which is mirrored as a memory, and prepares it for the agent. */
async function refreshContext(
  ports: TaskPorts,
  task: OpenTask,
  session: TaskSession,
  flushed: number,
): Promise<TaskCheckpoint | undefined> {
  const content = await collectCurrentState(ports, task, session, `Context refresh after ${flushed} tokens.`)
  if (!isActive(task, session)) return undefined
  const { checkpoint } = await writeCheckpoint(ports, task, {
    type: 'context_refresh',
    session,
    content,
    isObserved: true,
  })
  const { folder } = task
  const text = renderOpening(
    task,
    { checkpoint, goal: session.goal },
    { memory: undefined, progress: '', history: [], changed: [] },
  )
  await updateSafety(folder, session.session_id, (record) => ({
    ...record,
    refresh: { checkpoint_id: checkpoint.checkpoint_id, tokens_flushed: flushed, text },
  }))
  await addLogLine(ports, task, session.session_id, logLine.contextRefresh(task.governance.service, flushed))
  return checkpoint
}

/** Acts on one measurement of a task session's context. Each threshold fires once per crossing. */
export async function applyMeasurement(
  ports: TaskPorts,
  task: OpenTask,
  session: TaskSession,
  { tokens, source, limits }: ContextMeasurement & { readonly limits: ContextLimits },
): Promise<void> {
  const { folder, governance } = task
  const before = readSafety(folder, session.session_id)
  const { meter, crossed, flushed } = updateMeter(before.meter, tokens, limits)
  const hasChanged = crossed.length > 0 || flushed !== undefined || meter.fired.length !== before.meter.fired.length
  const hasDropped = tokens < before.meter.tokens
  if (!hasChanged && !hasDropped) return
  // First, so that a failure below does not repeat the same crossing.
  await updateSafety(folder, session.session_id, (record) => ({
    ...record,
    meter: { ...meter, fired: [...meter.fired] },
    tokens_source: source,
  }))
  for (const band of crossed) {
    const line = `[${governance.service}] Context at ${limits.percent[band]} percent`
    await addLogLine(ports, task, session.session_id, line, { band, context_tokens: tokens, source })
  }
  let current = flushed === undefined ? undefined : await refreshContext(ports, task, session, flushed)
  if (!crossed.includes('fork')) return
  // The child opens with the state of now, whatever checkpoint is written meanwhile.
  if (flushed === undefined) {
    const content = await collectCurrentState(ports, task, session, 'Context budget reached.')
    if (!isActive(task, session)) return
    const written = await writeCheckpoint(ports, task, { type: 'context_refresh', session, content, isObserved: true })
    current = written.checkpoint
  }
  if (current !== undefined) await forkSession(ports, task, session, current)
}

/** Rearms every threshold after the harness emptied the context. */
export async function resetMeter({ folder }: OpenTask, session: TaskSession): Promise<void> {
  if (readSafety(folder, session.session_id).meter.tokens === 0) return
  await updateSafety(folder, session.session_id, (record) => ({ ...record, meter: { ...EMPTY_METER, fired: [] } }))
}
