import type { HealthCheck } from '../rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import { addIncident, updateStatus } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { runProgram } from '../../platform/process/run-program.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

const PREFIX = 'P0 regression: '

/** Blocks the task until its health check passes. */
export async function recordRegression(
  ports: TaskPorts,
  { folder }: OpenTask,
  sessionId: string,
  { command = [], detail }: HealthCheck,
): Promise<void> {
  const at = ports.clock.now()
  await updateStatus(folder, (status) => ({
    ...status,
    status: 'blocked',
    last_session: sessionId,
    last_activity: at,
    blockers: [`${PREFIX}${detail}`, ...status.blockers.filter((blocker) => !blocker.startsWith(PREFIX))],
    regression: { priority: 'P0', at, session_id: sessionId, command: command.join(' '), detail },
  }))
  await addIncident(folder, {
    at,
    kind: 'health-check-failed',
    session_id: sessionId,
    checkpoint_id: null,
    detail: `P0: ${detail}`,
  })
}

/** Ends the regression and records the recovery as a checkpoint. */
export async function clearRegression(ports: TaskPorts, task: OpenTask, session: TaskSession): Promise<void> {
  const { regression, blockers } = getStatus(task.folder)
  if (regression === null) return
  await writeCheckpoint(ports, task, {
    type: 'error_recovery',
    session,
    content: {
      summary: 'The health check passes again',
      errors: [{ error: regression.detail, resolution: `the health check passes in ${session.session_id}` }],
      blockers: blockers.filter((blocker) => !blocker.startsWith(PREFIX)),
    },
    changeStatus: (status) => ({ ...status, regression: null }),
  })
}

const SHOWN_CHARS = 600

function takeOutputTail(output: string): string {
  return output.trim().slice(-SHOWN_CHARS).toWellFormed().replace(/\s+/g, ' ')
}

/** Runs the project's smoke command. `skipped` if none is configured. */
export async function checkHealth(ports: TaskPorts, { location, governance, folder }: OpenTask): Promise<HealthCheck> {
  const { smokeCommand: command, smokeTimeoutMs, smokeSource } = governance
  if (command === undefined) return { verdict: 'skipped', detail: 'no smoke command is configured', durationMs: 0 }
  const startedMs = ports.clock.monotonicMs()
  const run = await runProgram({ command, cwd: location.worktree, env: ports.env, timeoutMs: smokeTimeoutMs })
  const durationMs = Math.round(ports.clock.monotonicMs() - startedMs)
  const shown = `${command.join(' ')} (${smokeSource ?? 'configured'})`
  if (run.exitStatus === 0) return { verdict: 'pass', command, exitStatus: 0, detail: shown, durationMs }
  const how =
    run.exitStatus === undefined
      ? {
          timeout: `did not end within ${smokeTimeoutMs} ms`,
          signal: 'was killed',
          'not-started': 'could not be started',
        }[run.endedBy ?? 'signal']
      : `ended with ${run.exitStatus}`
  return {
    verdict: 'fail',
    command,
    ...(run.exitStatus !== undefined && { exitStatus: run.exitStatus }),
    detail: folder.redactor.redact(`${shown} ${how}: ${takeOutputTail(run.output)}`),
    durationMs,
  }
}

/** A skipped check does not clear an earlier failure. */
export function isHealthy({ folder }: OpenTask, { verdict }: HealthCheck): boolean {
  return verdict === 'pass' || (verdict === 'skipped' && getStatus(folder).regression === null)
}
