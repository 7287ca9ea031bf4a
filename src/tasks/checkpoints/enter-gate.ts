import { HoldfastError } from '../../kernel/errors.ts'
import { type Gate, gateLabel, gateNumber, parseGate } from '../model/gate.ts'
import { evidenceBefore, gatesHeld, refuseGate } from '../gates/preconditions.ts'
import { missingWanted } from '../gates/required-content.ts'
import type { CheckpointContent, TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { WrittenCheckpoint } from '../tasks.ts'
import { evidenceUpTo, fullContent, missingPages } from './gather.ts'
import { checkpointsOf, getDefinition, getStatus, type OpenTask } from '../files/open-task.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

export interface GateRequest {
  readonly gate: string
  readonly content: CheckpointContent
  readonly reason?: string | undefined
  readonly session: TaskSession | undefined
}

/** Refuses while a gate before it is not proven, or what it left behind is gone. */
export function refuseUnheld({ folder }: OpenTask, to: Gate, checkpoints: readonly TaskCheckpoint[]): void {
  const held = gatesHeld(checkpoints)
  const evidence = evidenceBefore(checkpoints, to).filter(({ path }) => folder.bytes(path) === undefined)
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
    `The health check of ${regression.session_id} failed (P0), and nothing proceeds until it passes: ${regression.detail}`,
    { hint: `Fix it, then run \`holdfast session start --task ${folder.slug}\`: it checks again.` },
  )
}

export async function enterGate(world: TaskWorld, task: OpenTask, request: GateRequest): Promise<WrittenCheckpoint> {
  const { folder } = task
  const to = parseGate(request.gate)
  const status = getStatus(folder)
  refuseRegression(task)
  if (to === status.current_gate)
    throw new HoldfastError('conflict', `The task ${folder.slug} is at ${gateLabel(to)} already.`)
  const checkpoints = checkpointsOf(folder)
  refuseUnheld(task, to, checkpoints)
  const isBack = gateNumber(to) < gateNumber(status.current_gate)
  const reason = request.reason?.trim()
  if (isBack && !reason)
    throw new HoldfastError('invalid-input', `${gateLabel(to)} lies before ${gateLabel(status.current_gate)}.`, {
      hint: 'Going back needs a reason: --reason …',
    })
  const content = await fullContent(world, task, request.session, {
    ...request.content,
    summary: request.content.summary ?? `${gateLabel(status.current_gate)} → ${gateLabel(to)}`,
  })
  return writeCheckpoint(world, task, {
    type: 'gate_transition',
    gate: to,
    content,
    session: request.session,
    evidence: evidenceUpTo(folder, to),
    missing: [...missingWanted('gate_transition', content), ...missingPages(folder, status.current_gate)],
    ...(isBack && reason !== undefined && { overrideReason: reason }),
  })
}
