import { parseGate } from '../model/gate.ts'
import { logLine } from '../model/log-lines.ts'
import type { HealthCheck, StartInput, StartResult } from '../rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import { enterGate, refuseUnheld } from '../checkpoints/enter-gate.ts'
import { listCheckpoints, getStatus, findNewestCheckpoint, openTask, type OpenTask } from '../files/open-task.ts'
import { renderOpening, readOpeningSources } from './opening-text.ts'
import { prepareSession, refuseStart, findNewOwner } from './prepare-session.ts'
import { createRitualRecord } from './ritual-record.ts'
import { changeSessionState } from './session-transitions.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { runProgram } from '../../platform/process/run-program.ts'
import { addIncident, updateStatus } from '../files/task-files.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

const PREFIX = 'P0 regression: '

/** Blocks the task until its health check passes. */
async function recordRegression(
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
async function clearRegression(ports: TaskPorts, task: OpenTask, session: TaskSession): Promise<void> {
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
async function checkHealth(ports: TaskPorts, { location, governance, folder }: OpenTask): Promise<HealthCheck> {
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
function isHealthy({ folder }: OpenTask, { verdict }: HealthCheck): boolean {
  return verdict === 'pass' || (verdict === 'skipped' && getStatus(folder).regression === null)
}

async function enterRequestedGate(ports: TaskPorts, task: OpenTask, session: TaskSession, gate: string | undefined) {
  if (gate === undefined || parseGate(gate) === getStatus(task.folder).current_gate) return
  const reason = `session ${session.session_id} starts from it`
  await enterGate(ports, task, { gate, content: {}, reason, session })
}

/** The startup ritual: recall, progress, status, history, health check, announce, in this order. */
export async function startSession(ports: TaskPorts, input: StartInput): Promise<StartResult> {
  const task = await openTask(ports, input)
  const { folder, governance } = task
  if (input.fromGate !== undefined) refuseUnheld(task, parseGate(input.fromGate), listCheckpoints(folder))
  await refuseStart(ports, task, input)
  const resumedFrom = findNewestCheckpoint(folder)
  const gate = input.fromGate === undefined ? getStatus(folder).current_gate : parseGate(input.fromGate)
  const session = await prepareSession(ports, task, input, {
    gate: getStatus(folder).current_gate,
    resumedFrom: resumedFrom?.checkpoint_id ?? null,
  })
  const id = session.session_id
  const record = createRitualRecord(ports, { task, sessionId: id, onLine: input.onLine })
  await record.addLine(logLine.sessionStart(governance.service, id, resumedFrom?.checkpoint_id ?? null))

  const sources = await readOpeningSources(ports, task, record, resumedFrom)
  const health = await record.step('health check', async () => {
    const checked = await checkHealth(ports, task)
    return [checked, `${checked.verdict}: ${checked.detail}`]
  })
  await record.addLine(logLine.healthCheck(governance.service, health.verdict))

  const common = { resumedFrom, health, changed: sources.changed, steps: record.steps, lines: record.lines }
  const opening = renderOpening({ slug: folder.slug, checkpoint: resumedFrom, ...sources })
  if (!isHealthy(task, health)) {
    if (health.verdict === 'fail') await recordRegression(ports, task, id, health)
    const reason = `health check: ${health.verdict}`
    const suspended =
      session.state === 'suspended' ? session : await changeSessionState(ports, task, id, { to: 'suspended', reason })
    return { ...common, session: suspended, isReady: false, opening }
  }
  const active = await changeSessionState(ports, task, id, {
    to: 'active',
    reason: session.state === 'suspended' ? 'resumed' : 'the startup ritual passed',
    process: input.process,
    owner: session.state === 'suspended' ? await findNewOwner(ports, task, session, input) : undefined,
  })
  await clearRegression(ports, task, active)
  await enterRequestedGate(ports, task, active, input.fromGate === undefined ? undefined : gate)
  await record.step('announce', async () => {
    const goal = active.goal ?? resumedFrom?.next_steps[0] ?? `continue ${folder.slug} at ${gate}`
    await record.addLine(logLine.goal(governance.service, goal))
    return [undefined, goal]
  })
  return { ...common, session: active, isReady: true, opening }
}
