import { HoldfastError } from '../../../kernel/errors.ts'
import type { SafetyMetrics } from '../probe.ts'
import type { TaskCheckpoint } from '../../model/task-checkpoint.ts'
import type { OpenTask } from '../../files/open-task.ts'
import { addLogLine } from '../../files/session-log.ts'
import { addIncident, updateManifest } from '../../files/task-files.ts'
import type { TaskWorld } from '../../files/task-ports.ts'
import { changeSafety, readSafety, safetyPath, type SafetyRecord } from './safety-record.ts'

function reasonOf({ delta, severity, signs }: SafetyMetrics): string {
  const shift = Math.abs(delta) >= 0.2 ? `refusals shifted by ${delta}` : `signs of severity ${severity}`
  return signs === '' ? shift : `${shift} (${signs})`
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** From here on only tools that read pass, until a person ends it. Already degraded: nothing changes. */
export async function enterSandbox(
  world: TaskWorld,
  task: OpenTask,
  checkpoint: TaskCheckpoint,
  metrics: SafetyMetrics,
): Promise<void> {
  const { folder, governance } = task
  const { session_id: sessionId, checkpoint_id: checkpointId } = checkpoint
  if (sessionId === null || readSafety(folder, sessionId).sandbox !== null) return
  const at = world.clock.now()
  const reason = reasonOf(metrics)
  await changeSafety(folder, sessionId, (record) => ({
    ...record,
    sandbox: { since: at, checkpoint_id: checkpointId, reason },
    history: [...record.history, { at, what: 'degraded to sandbox', detail: `${reason}; checkpoint ${checkpointId}` }],
  }))
  const log = safetyPath(sessionId)
  await updateManifest(folder, (manifest) => {
    const before = manifest.long_context_runs
    const run = { session_id: sessionId, checkpoint_id: checkpointId, started_at: at, log }
    return { ...manifest, long_context_runs: [...(isList(before) ? before : []), run] }
  })
  const incident = {
    at,
    kind: 'sandboxed',
    session_id: sessionId,
    checkpoint_id: checkpointId,
    detail: reason,
  } as const
  await addIncident(folder, incident)
  await addLogLine(world, task, sessionId, `[${governance.service}] Degraded to sandbox: ${reason}`, { log })
}

/** A person's word that the session may go on. Refuses where there is no sandbox to leave. */
export async function leaveSandbox(
  world: TaskWorld,
  task: OpenTask,
  { sessionId, reason }: { readonly sessionId: string; readonly reason: string },
): Promise<SafetyRecord> {
  const { folder, governance } = task
  if (readSafety(folder, sessionId).sandbox === null)
    throw new HoldfastError('conflict', `The session ${sessionId} is not in the sandbox.`)
  const at = world.clock.now()
  const after = await changeSafety(folder, sessionId, (record) => ({
    ...record,
    sandbox: null,
    // What was found was looked at: it is the session's normal from here on.
    baseline_refusal_rate: null,
    history: [...record.history, { at, what: 'left the sandbox', detail: reason }],
  }))
  await addLogLine(world, task, sessionId, `[${governance.service}] Sandbox left: ${reason}`)
  return after
}
