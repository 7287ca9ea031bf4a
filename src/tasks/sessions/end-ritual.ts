import { cloudEvent } from '../model/cloud-event.ts'
import { logLine } from '../model/log-lines.ts'
import { missingWanted } from '../gates/required-content.ts'
import type { Ended, EndInput } from '../rituals.ts'
import { progressEntry } from '../model/progress-entry.ts'
import { fullContent } from '../checkpoints/gather.ts'
import { memorizeTask } from '../memory/memorize.ts'
import { checkpointsOf, openTask } from '../files/open-task.ts'
import { createRitualRecord } from './ritual-record.ts'
import { secureRecords, secureWork } from '../patch/secure-work.ts'
import { sessionToEnd, stepSession } from './session-steps.ts'
import { appendOutbox, PROGRESS, updateStatus } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

/** S2 §4.1, in its order: commit, progress, checkpoint, memorize, status, event. */
export async function endSession(world: TaskWorld, input: EndInput): Promise<Ended> {
  const task = await openTask(world, input)
  const { folder, governance } = task
  const outcome = input.outcome ?? 'partial'
  const session = await sessionToEnd(world, task, input.sessionId)
  const id = session.session_id
  const record = createRitualRecord(world, { task, sessionId: id, onLine: input.onLine })

  const work = await record.step('commit', () => secureWork(task, session))
  const own = checkpointsOf(folder).filter(({ session_id }) => session_id === id)
  const content = await fullContent(world, task, session, {
    ...input.content,
    summary: input.content?.summary ?? `Session ended (${outcome}): ${session.goal ?? folder.slug}`,
    ...(work.kind === 'patch' && { patch: work.file }),
  })
  await record.step('progress', async () => {
    const entry = progressEntry({ session, content, checkpoints: own, endedAt: world.clock.now() })
    await folder.locked(() => folder.append(PROGRESS, entry))
    return [undefined, `appended to ${folder.pathOf(PROGRESS)}`]
  })
  const checkpoint = await record.step('checkpoint', async () => {
    const missing = missingWanted('session_end', content)
    const written = await writeCheckpoint(world, task, { type: 'session_end', session, content, missing })
    input.onLine?.(written.line)
    return [written, written.checkpoint.checkpoint_id]
  })
  await record.step('memorize', async () => {
    const { detail } = await memorizeTask(world, task, id)
    return [undefined, detail]
  })
  await record.step('status', async () => {
    const at = world.clock.now()
    const status = await updateStatus(folder, (now) => ({ ...now, last_session: id, last_activity: at }))
    return [undefined, `${status.status} at ${status.current_gate}`]
  })
  await record.step('event', async () => {
    const hint = input.hint ?? checkpoint.checkpoint.next_steps[0] ?? checkpoint.checkpoint.resume_instructions
    await appendOutbox(
      folder,
      cloudEvent({
        id: `${id}-complete-${session.transitions.length}`,
        type: 'session.complete',
        slug: folder.slug,
        subject: id,
        time: world.clock.now(),
        data: { session_id: id, outcome, next_session_hint: hint },
      }),
    )
    return [undefined, 'session.complete']
  })
  const ended = await stepSession(world, task, id, { to: 'complete', reason: 'the shutdown ritual ran', outcome })
  await record.say(logLine.sessionEnd(governance.service, id, outcome))
  await secureRecords(task, ended, work)
  return { session: ended, checkpoint, work, steps: record.steps, lines: [checkpoint.line, ...record.lines] }
}
