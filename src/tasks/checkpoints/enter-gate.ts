import { HoldfastError } from '../../kernel/errors.ts'
import { type Gate, formatGate, gateNumber, parseGate } from '../model/gate.ts'
import { listEvidenceBefore, findHeldGates, refuseGate, findMissingExpected } from '../gates/gate-rules.ts'
import type { CheckpointContent, TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { CheckpointResult } from '../tasks.ts'
import { collectEvidence, collectContent, findMissingPages } from './checkpoint-content.ts'
import { listCheckpoints, getDefinition, getStatus, type OpenTask } from '../files/open-task.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

export interface GateRequest {
  readonly gate: string
  readonly content: CheckpointContent
  readonly reason?: string | undefined
  readonly session: TaskSession | undefined
}

/** Refuses if a required earlier gate is not proven, or its evidence is missing. */
export function refuseUnheld({ folder }: OpenTask, to: Gate, checkpoints: readonly TaskCheckpoint[]): void {
  const held = findHeldGates(checkpoints)
  const evidence = listEvidenceBefore(checkpoints, to).filter(({ path }) => folder.bytes(path) === undefined)
  refuseGate(folder.slug, {
    flow: getDefinition(folder).flow,
    to,
    held,
    goneEvidence: evidence.map(({ path }) => path),
  })
}

export function refuseRegression({ folder }: OpenTask): void {
  const { regression } = getStatus(folder)
  if (regression === null) return
  throw new HoldfastError(
    'conflict',
    `The health check of ${regression.session_id} failed (P0); it has to pass first: ${regression.detail}`,
    { hint: `Fix it, then run \`holdfast session start --task ${folder.slug}\`, which runs the check again.` },
  )
}

export async function enterGate(ports: TaskPorts, task: OpenTask, request: GateRequest): Promise<CheckpointResult> {
  const { folder } = task
  const to = parseGate(request.gate)
  const status = getStatus(folder)
  refuseRegression(task)
  if (to === status.current_gate)
    throw new HoldfastError('conflict', `The task ${folder.slug} is already at ${formatGate(to)}.`)
  const checkpoints = listCheckpoints(folder)
  refuseUnheld(task, to, checkpoints)
  const isBack = gateNumber(to) < gateNumber(status.current_gate)
  const reason = request.reason?.trim()
  if (isBack && !reason)
    throw new HoldfastError('invalid-input', `${formatGate(to)} is before ${formatGate(status.current_gate)}.`, {
      hint: 'Give a reason to go back: --reason …',
    })
  const content = await collectContent(ports, task, request.session, {
    ...request.content,
    summary: request.content.summary ?? `${formatGate(status.current_gate)} → ${formatGate(to)}`,
  })
  return writeCheckpoint(ports, task, {
    type: 'gate_transition',
    gate: to,
    content,
    session: request.session,
    evidence: collectEvidence(folder, to),
    missing: [...findMissingExpected('gate_transition', content), ...findMissingPages(folder, status.current_gate)],
    ...(isBack && reason !== undefined && { overrideReason: reason }),
  })
}
