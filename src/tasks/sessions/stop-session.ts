import { cloudEvent } from '../model/cloud-event.ts'
import type { EmergencyTrigger } from '../rituals.ts'
import { transition } from '../../kernel/task-session-state.ts'
import type { CheckpointContent } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { WrittenCheckpoint } from '../tasks.ts'
import { fullContent, observedOf } from '../checkpoints/gather.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import { writePatchBundle } from '../patch/patch-bundle.ts'
import { stepSession } from './session-steps.ts'
import { addIncident, appendOutbox } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

export interface Suspension {
  readonly reason: string
  readonly content?: CheckpointContent | undefined
}

/** S2 §4.2: the `interrupted` checkpoint from the last known state, the session suspended, an incident. */
export async function suspendSession(
  world: TaskWorld,
  task: OpenTask,
  session: TaskSession,
  { reason, content = {} }: Suspension,
): Promise<WrittenCheckpoint> {
  transition(session.state, 'suspended')
  const observed = await observedOf(world, session)
  const known = observed === undefined ? '' : ` Last seen: ${observed.summary}`
  const written = await writeCheckpoint(world, task, {
    type: 'interrupted',
    session,
    content: await fullContent(world, task, session, {
      ...content,
      summary: content.summary ?? `Interrupted: ${reason}.${known}`,
      nextSteps: content.nextSteps ?? (observed?.nextAction === undefined ? undefined : [observed.nextAction]),
    }),
  })
  await addIncident(task.folder, {
    at: world.clock.now(),
    kind: 'interrupted',
    session_id: session.session_id,
    checkpoint_id: written.checkpoint.checkpoint_id,
    detail: reason,
  })
  // Last: whoever sees it suspended finds the checkpoint and the incident.
  await stepSession(world, task, session.session_id, { to: 'suspended', reason })
  return written
}

export interface Emergency extends Suspension {
  readonly trigger: EmergencyTrigger
}

/** The emergency stop: patch, checkpoint, `json/emergency-checkpoint.json`, the session terminated, an incident, an event. */
export async function terminateSession(
  world: TaskWorld,
  task: OpenTask,
  session: TaskSession,
  { trigger, reason, content = {} }: Emergency,
): Promise<WrittenCheckpoint> {
  transition(session.state, 'terminated')
  const { folder } = task
  const at = world.clock.now()
  const bundle = await writePatchBundle(folder, `emergency-${at.replace(/[:.]/g, '-')}`)
  const written = await writeCheckpoint(world, task, {
    type: 'emergency',
    session,
    content: await fullContent(world, task, session, {
      ...content,
      summary: content.summary ?? `Emergency stop: ${reason}`,
      ...(bundle.kind === 'patch' && { patch: bundle.file }),
    }),
  })
  const { checkpoint } = written
  const status = getStatus(folder)
  await folder.locked(() =>
    folder.writeJson('json/emergency-checkpoint.json', {
      timestamp: at,
      agent_id: session.agent_id,
      session_id: session.session_id,
      trigger: trigger.what,
      trigger_details: { metric: trigger.metric, threshold: trigger.threshold, actual: trigger.actual, reason },
      checkpoint_id: checkpoint.checkpoint_id,
      state: {
        current_task: folder.slug,
        current_gate: status.current_gate,
        last_completed_step: status.current_step,
        files_modified: checkpoint.state.files_changed.map(({ path }) => path),
        uncommitted_changes: bundle.kind === 'patch' ? bundle.file : null,
      },
      recovery: {
        can_resume: true,
        resume_from: `${status.current_gate}-step-${status.current_step}`,
        manual_review_required: true,
      },
    }),
  )
  await addIncident(folder, {
    at,
    kind: 'emergency-stop',
    session_id: session.session_id,
    checkpoint_id: checkpoint.checkpoint_id,
    detail: `${trigger.what}: ${reason}`,
  })
  await appendOutbox(
    folder,
    cloudEvent({
      id: `${checkpoint.checkpoint_id}-emergency`,
      type: 'agent.emergency_stop',
      slug: folder.slug,
      subject: session.session_id,
      time: at,
      data: { session_id: session.session_id, trigger: trigger.what, checkpoint_id: checkpoint.checkpoint_id },
    }),
  )
  await stepSession(world, task, session.session_id, { to: 'terminated', reason: `emergency stop: ${reason}` })
  return written
}
