import { createCloudEvent } from '../model/cloud-event.ts'
import { logLine } from '../model/log-lines.ts'
import type { EndResult, EndInput } from '../rituals.ts'
import { collectContent, findObservedCheckpoint } from '../checkpoints/checkpoint-content.ts'
import { memorizeTask } from '../memory/task-memory.ts'
import { getStatus, listCheckpoints, openTask } from '../files/open-task.ts'
import { createRitualRecord } from './ritual-record.ts'
import { saveRecords, saveWork } from '../patch/save-work.ts'
import { getSessionToEnd, changeSessionState } from './session-transitions.ts'
import { appendOutbox, PROGRESS, updateStatus } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
import type { CheckpointContent, TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'

export interface ProgressInput {
  readonly session: TaskSession
  readonly content: CheckpointContent
  /** Of this session, in order. */
  readonly checkpoints: readonly TaskCheckpoint[]
  readonly endedAt: string
}

/** Never negative, even if the clock was set back. */
export function formatDuration(from: string, to: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 60_000))
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
const listed = (items: readonly string[]) => (items.length === 0 ? 'none' : items.map(oneLine).join('; '))

/** One entry of `work/implementation-log.md`. */
function renderProgressEntry({ session, content, checkpoints, endedAt }: ProgressInput): string {
  const done = [content.summary ?? '', ...checkpoints.map(({ summary }) => summary)].filter((text) => text !== '')
  return `
## Session ${session.started_at.slice(0, 10)} (${formatDuration(session.started_at, endedAt)})

**Session**: ${session.session_id}
**Goal**: ${oneLine(session.goal ?? 'not given')}
**Completed**: ${listed(done.slice(0, 20))}
**Blocked**: ${listed(content.blockers ?? [])}
**Next**: ${listed(content.nextSteps ?? [])}
`
}

/** The shutdown steps: commit, progress, checkpoint, memorize, status, event, in this order. */
export async function endSession(ports: TaskPorts, input: EndInput): Promise<EndResult> {
  const task = await openTask(ports, input)
  const { folder, governance } = task
  const outcome = input.outcome ?? 'partial'
  const session = await getSessionToEnd(ports, task, input)
  const id = session.session_id
  const record = createRitualRecord(ports, { task, sessionId: id, onLine: input.onLine })

  const work = await record.step('commit', () => saveWork(task, session))
  const own = listCheckpoints(folder).filter(({ session_id }) => session_id === id)
  const observed = await findObservedCheckpoint(ports, session)
  const collected = await collectContent(ports, task, session, {
    ...input.content,
    summary:
      input.content?.summary ?? `Session ended (${outcome}): ${observed?.summary ?? session.goal ?? folder.slug}`,
    ...(work.kind === 'patch' && { patch: work.file }),
  })
  // The log, the checkpoint, the status and the event name the same steps.
  const status = getStatus(folder)
  const nextSteps = collected.nextSteps ?? (input.hint === undefined ? status.next_steps : [input.hint])
  const content = { ...collected, nextSteps, blockers: collected.blockers ?? status.blockers }
  await record.step('progress', async () => {
    const entry = renderProgressEntry({ session, content, checkpoints: own, endedAt: ports.clock.now() })
    await folder.locked(() => folder.append(PROGRESS, entry))
    return [undefined, `appended to ${folder.resolvePath(PROGRESS)}`]
  })
  const checkpoint = await record.step('checkpoint', async () => {
    const missing = nextSteps.length === 0 ? ['the next steps'] : []
    const written = await writeCheckpoint(ports, task, { type: 'session_end', session, content, missing, outcome })
    input.onLine?.(written.line)
    return [written, written.checkpoint.checkpoint_id]
  })
  await record.step('memorize', async () => {
    const { detail } = await memorizeTask(ports, task, id)
    return [undefined, detail]
  })
  await record.step('status', async () => {
    const at = ports.clock.now()
    const after = await updateStatus(folder, (now) => ({ ...now, last_session: id, last_activity: at }))
    return [undefined, `${after.status} at ${after.current_gate}`]
  })
  await record.step('event', async () => {
    const hint = input.hint ?? checkpoint.checkpoint.next_steps[0] ?? checkpoint.checkpoint.resume_instructions
    await appendOutbox(
      folder,
      createCloudEvent({
        id: `${id}-complete-${session.transitions.length}`,
        type: 'session.complete',
        slug: folder.slug,
        subject: id,
        time: ports.clock.now(),
        data: { session_id: id, outcome, next_session_hint: hint },
      }),
    )
    return [undefined, 'session.complete']
  })
  const ended = await changeSessionState(ports, task, id, {
    to: 'complete',
    reason: 'the shutdown steps ran',
    outcome,
  })
  await record.addLine(logLine.sessionEnd(governance.service, id, outcome))
  await saveRecords(task, ended, work)
  return { session: ended, checkpoint, work, steps: record.steps, lines: [checkpoint.line, ...record.lines] }
}
