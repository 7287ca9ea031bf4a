import { type Gate, parseGate } from '../model/gate.ts'
import { logLine } from '../model/log-lines.ts'
import type { StartInput, StartResult } from '../rituals.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import { enterGate, planGate } from '../checkpoints/enter-gate.ts'
import { findNewestCheckpoint, getCurrentGate, listCheckpoints, openTask, type OpenTask } from '../files/open-task.ts'
import { renderOpening, readOpeningSources } from './opening-text.ts'
import { prepareSession, refuseStart, findNewOwner } from './prepare-session.ts'
import { checkHealth, clearRegression, isHealthy, recordRegression } from './health-check.ts'
import { createRitualRecord } from './ritual-record.ts'
import { changeSessionState } from './session-transitions.ts'
import type { TaskPorts } from '../files/task-ports.ts'

/** The checkpoint to continue from: the newest one, or the newest at the gate that the session starts from. */
function findStartingPoint({ folder }: OpenTask, gate: Gate | undefined): TaskCheckpoint | null {
  const atGate = gate === undefined ? undefined : listCheckpoints(folder).findLast((one) => one.gate === gate)
  return atGate ?? findNewestCheckpoint(folder)
}

/** The startup steps: recall, progress, status, history, health check, announce, in this order. */
export async function startSession(ports: TaskPorts, input: StartInput): Promise<StartResult> {
  const task = await openTask(ports, input)
  const { folder, governance } = task
  const gate = input.fromGate === undefined ? undefined : parseGate(input.fromGate)
  const isOtherGate = gate !== undefined && gate !== getCurrentGate(folder)
  const { next_steps: nextSteps = [] } = findStartingPoint(task, gate) ?? {}
  const content = nextSteps.length === 0 ? {} : { nextSteps }
  const gateChange = { gate: gate ?? '', content, reason: 'a session starts from it' }
  if (isOtherGate) await planGate(ports, task, { ...gateChange, session: undefined })
  await refuseStart(ports, task, input)
  const resumedFrom = findStartingPoint(task, gate)
  const session = await prepareSession(ports, task, input, {
    gate: getCurrentGate(folder),
    resumedFrom: resumedFrom?.checkpoint_id ?? null,
  })
  const id = session.session_id
  const record = createRitualRecord(ports, { task, sessionId: id, onLine: input.onLine })
  await record.addLine(logLine.sessionStart(governance.service, id, resumedFrom?.checkpoint_id ?? null))

  const sources = await readOpeningSources(ports, task, record)
  const health = await record.step('health check', async () => {
    const checked = await checkHealth(ports, task)
    return [checked, `${checked.verdict}: ${checked.detail}`]
  })
  await record.addLine(logLine.healthCheck(governance.service, health.verdict))

  const common = { resumedFrom, health, changed: sources.changed, steps: record.steps, lines: record.lines }
  const goal = input.goal ?? session.goal ?? resumedFrom?.next_steps[0] ?? `continue ${folder.slug}`
  const opening = () => renderOpening(task, { checkpoint: resumedFrom, goal }, sources)
  if (!isHealthy(task, health)) {
    if (health.verdict === 'fail') await recordRegression(ports, task, id, health)
    const reason = `health check: ${health.verdict}`
    const suspended =
      session.state === 'suspended' ? session : await changeSessionState(ports, task, id, { to: 'suspended', reason })
    await record.addLine(logLine.sessionEnd(governance.service, id, 'failed'))
    return { ...common, session: suspended, isReady: false, opening: opening() }
  }
  const active = await changeSessionState(ports, task, id, {
    to: 'active',
    reason: session.state === 'suspended' ? 'resumed' : 'the startup steps passed',
    process: input.process,
    owner: session.state === 'suspended' ? await findNewOwner(ports, task, session, input) : undefined,
  })
  await clearRegression(ports, task, active)
  if (isOtherGate) await enterGate(ports, task, { ...gateChange, session: active })
  await record.step('announce', async () => {
    await record.addLine(logLine.goal(governance.service, goal))
    return [undefined, goal]
  })
  return { ...common, session: active, isReady: true, opening: opening() }
}
