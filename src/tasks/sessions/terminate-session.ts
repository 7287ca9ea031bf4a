import { createCloudEvent } from '../model/cloud-event.ts'
import type { EmergencyTrigger } from '../rituals.ts'
import { transition } from '../../kernel/task-session-state.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { CheckpointResult } from '../tasks.ts'
import { collectContent } from '../checkpoints/checkpoint-content.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import { writePatchBundle } from '../patch/patch-bundle.ts'
import { changeSessionState } from './session-transitions.ts'
import { logSessionEnd, type Suspension } from './suspend-session.ts'
import { addIncident, appendOutbox, EMERGENCY } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

/** Writes the patch, the checkpoint and `json/emergency-checkpoint.json`, then an incident and a CloudEvent, and terminates the session. */
export async function terminateSession(
  ports: TaskPorts,
  task: OpenTask,
  session: TaskSession,
  { trigger, reason, content = {} }: Suspension & { readonly trigger: EmergencyTrigger },
): Promise<CheckpointResult> {
  transition(session.state, 'terminated')
  const { folder } = task
  const at = ports.clock.now()
  const bundle = await writePatchBundle(folder, `emergency-${at.replace(/[:.]/g, '-')}`)
  const written = await writeCheckpoint(ports, task, {
    type: 'emergency',
    session,
    content: await collectContent(ports, task, session, {
      ...content,
      summary: content.summary ?? `Emergency stop: ${reason}`,
      ...(bundle.kind === 'patch' && { patch: bundle.file }),
    }),
  })
  const { checkpoint } = written
  const status = getStatus(folder)
  await folder.locked(() =>
    folder.writeJson(EMERGENCY, {
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
    createCloudEvent({
      id: `${checkpoint.checkpoint_id}-emergency`,
      type: 'agent.emergency_stop',
      slug: folder.slug,
      subject: session.session_id,
      time: at,
      data: { session_id: session.session_id, trigger: trigger.what, checkpoint_id: checkpoint.checkpoint_id },
    }),
  )
  await changeSessionState(ports, task, session.session_id, { to: 'terminated', reason: `emergency stop: ${reason}` })
  await logSessionEnd(ports, task, session.session_id, 'terminated')
  return written
}
