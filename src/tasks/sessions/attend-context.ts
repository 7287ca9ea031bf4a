import { type ContextLimits, EMPTY_METER, measure } from '../../kernel/context-bands.ts'
import { logLine } from '../model/log-lines.ts'
import type { TaskSession } from '../model/task-session.ts'
import { fullContent } from '../checkpoints/gather.ts'
import type { OpenTask } from '../files/open-task.ts'
import { addLogLine } from '../files/session-log.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
import { forkSession } from './fork-session.ts'
import { changeSafety, readSafety, type SafetyRecord } from '../context-safety/io/safety-record.ts'

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
