import { parseGate } from '../model/gate.ts'
import { logLine } from '../model/log-lines.ts'
import type { HealthCheck, StartInput, Started } from '../rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import { enterGate, refuseUnheld } from '../checkpoints/enter-gate.ts'
import { checkpointsOf, getStatus, newestCheckpoint, openTask, type OpenTask } from '../files/open-task.ts'
import { openingText } from './opening-text.ts'
import { prepareSession, refuseStart, takeUp } from './prepare-session.ts'
import { createRitualRecord } from './ritual-record.ts'
import { stepSession } from './session-steps.ts'
import { readContext } from './read-context.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { runProgram } from '../../platform/process/run-program.ts'
import { addIncident, updateStatus } from '../files/task-files.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

const PREFIX = 'P0 regression: '

/** A failed health check: first thing to fix, and nothing proceeds before that. */
async function noteRegression(
  world: TaskWorld,
  { folder }: OpenTask,
  sessionId: string,
  { command = [], detail }: HealthCheck,
): Promise<void> {
  const at = world.clock.now()
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

/** The check passes again: the regression is over, and how it was is a checkpoint. */
async function settleRegression(world: TaskWorld, task: OpenTask, session: TaskSession): Promise<void> {
  const { regression, blockers } = getStatus(task.folder)
  if (regression === null) return
  await writeCheckpoint(world, task, {
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

function lastWords(output: string): string {
  return output.trim().slice(-SHOWN_CHARS).toWellFormed().replace(/\s+/g, ' ')
}

/** Runs the project's smoke command. None configured is skipped, which is not passed. */
async function checkHealth(world: TaskWorld, { place, governance, folder }: OpenTask): Promise<HealthCheck> {
  const { smokeCommand: command, smokeTimeoutMs, smokeSource } = governance
  if (command === undefined) return { verdict: 'skipped', detail: 'no smoke command is configured', durationMs: 0 }
  const startedMs = world.clock.monotonicMs()
  const run = await runProgram({ command, cwd: place.worktree, env: world.env, timeoutMs: smokeTimeoutMs })
  const durationMs = Math.round(world.clock.monotonicMs() - startedMs)
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
    detail: folder.redactor.redact(`${shown} ${how}: ${lastWords(run.output)}`),
    durationMs,
  }
}

/** A check that is skipped does not undo one that failed. */
function isHealthy({ folder }: OpenTask, { verdict }: HealthCheck): boolean {
  return verdict === 'pass' || (verdict === 'skipped' && getStatus(folder).regression === null)
}

async function enterAsked(world: TaskWorld, task: OpenTask, session: TaskSession, gate: string | undefined) {
  if (gate === undefined || parseGate(gate) === getStatus(task.folder).current_gate) return
  const reason = `session ${session.session_id} starts from it`
  await enterGate(world, task, { gate, content: {}, reason, session })
}

/** S2 §2, in its order: recall, progress, status, history, health check, announce. */
export async function startSession(world: TaskWorld, input: StartInput): Promise<Started> {
  const task = await openTask(world, input)
  const { folder, governance } = task
  if (input.fromGate !== undefined) refuseUnheld(task, parseGate(input.fromGate), checkpointsOf(folder))
  await refuseStart(world, task, input)
  const resumedFrom = newestCheckpoint(folder)
  const gate = input.fromGate === undefined ? getStatus(folder).current_gate : parseGate(input.fromGate)
  const session = await prepareSession(world, task, input, {
    gate: getStatus(folder).current_gate,
    resumedFrom: resumedFrom?.checkpoint_id ?? null,
  })
  const id = session.session_id
  const record = createRitualRecord(world, { task, sessionId: id, onLine: input.onLine })
  await record.say(logLine.sessionStart(governance.service, id, resumedFrom?.checkpoint_id ?? null))

  const known = await readContext(world, task, record, resumedFrom)
  const health = await record.step('health check', async () => {
    const checked = await checkHealth(world, task)
    return [checked, `${checked.verdict}: ${checked.detail}`]
  })
  await record.say(logLine.healthCheck(governance.service, health.verdict))

  const common = { resumedFrom, health, changed: known.changed, steps: record.steps, lines: record.lines }
  const opening = openingText({ slug: folder.slug, checkpoint: resumedFrom, ...known })
  if (!isHealthy(task, health)) {
    if (health.verdict === 'fail') await noteRegression(world, task, id, health)
    const reason = `health check: ${health.verdict}`
    const suspended =
      session.state === 'suspended' ? session : await stepSession(world, task, id, { to: 'suspended', reason })
    return { ...common, session: suspended, isReady: false, opening }
  }
  const active = await stepSession(world, task, id, {
    to: 'active',
    reason: session.state === 'suspended' ? 'resumed' : 'the startup ritual passed',
    process: input.process,
    takenUp: session.state === 'suspended' ? await takeUp(world, task, session, input) : undefined,
  })
  await settleRegression(world, task, active)
  await enterAsked(world, task, active, input.fromGate === undefined ? undefined : gate)
  await record.step('announce', async () => {
    const goal = active.goal ?? resumedFrom?.next_steps[0] ?? `continue ${folder.slug} at ${gate}`
    await record.say(logLine.goal(governance.service, goal))
    return [undefined, goal]
  })
  return { ...common, session: active, isReady: true, opening }
}
