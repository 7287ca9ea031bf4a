import { HoldfastError } from '../../kernel/errors.ts'
import { type Gate, formatGate, gateNumber, parseGate } from '../model/gate.ts'
import {
  listEvidenceBefore,
  findHeldGates,
  findMissingParts,
  refuseGate,
  refuseUnfinishedGate,
} from '../gates/gate-rules.ts'
import type { CheckpointContent } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { CheckpointResult } from '../tasks.ts'
import { collectEvidence, collectContent, findMissingPages } from './checkpoint-content.ts'
import { findChangedEvidence } from '../patch/changed-files.ts'
import { getCurrentGate, listCheckpoints, getDefinition, getStatus, type OpenTask } from '../files/open-task.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

export interface GateRequest {
  readonly gate: string
  readonly content: CheckpointContent
  readonly reason?: string | undefined
  /** Enters the gate although parts are missing; needs a reason. */
  readonly isForced?: boolean | undefined
  readonly session: TaskSession | undefined
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

export function refuseWithoutSession({ folder: { slug } }: OpenTask): never {
  throw new HoldfastError('conflict', `The task ${slug} has no active session.`, {
    hint: `Start one with \`holdfast session start --task ${slug}\`.`,
  })
}

interface GatePlan {
  readonly from: Gate
  readonly to: Gate
  readonly content: CheckpointContent
  readonly missing: readonly string[]
  readonly overrideReason: string | undefined
}

function findMissingCriteria(task: OpenTask, gate: Gate): readonly string[] {
  return gate === 'G0' && getDefinition(task.folder).acceptance_criteria.length === 0
    ? ['acceptance criteria (in meta/task.json)']
    : []
}

/** Checks a gate change without making it. Refuses one that the chain, the pages or the content do not support. */
export async function planGate(ports: TaskPorts, task: OpenTask, request: GateRequest): Promise<GatePlan> {
  const { folder } = task
  const [from, to] = [getCurrentGate(folder), parseGate(request.gate)]
  if (to === from) throw new HoldfastError('conflict', `The task ${folder.slug} is already at ${formatGate(to)}.`)
  const checkpoints = listCheckpoints(folder)
  refuseGate(folder.slug, { flow: getDefinition(folder).flow, to, held: findHeldGates(checkpoints) })
  const reason = request.reason?.trim() || undefined
  const isBack = gateNumber(to) < gateNumber(from)
  if (isBack && reason === undefined)
    throw new HoldfastError('invalid-input', `${formatGate(to)} is before ${formatGate(from)}.`, {
      hint: 'Give a reason to go back: --reason …',
    })
  if (request.isForced === true && reason === undefined)
    throw new HoldfastError('invalid-input', 'Entering a gate with --force needs a reason.', {
      hint: 'Say why the missing parts are not needed: --force --reason "…". It is recorded.',
    })
  const content = await collectContent(ports, task, request.session, {
    ...request.content,
    summary: request.content.summary ?? `${formatGate(from)} → ${formatGate(to)}`,
  })
  const missing = isBack
    ? []
    : [...findMissingParts(from, content), ...findMissingPages(folder, from), ...findMissingCriteria(task, from)]
  const changed = findChangedEvidence(folder, listEvidenceBefore(checkpoints, isBack ? to : from))
  if (request.isForced !== true) refuseUnfinishedGate(folder.slug, from, { missing, changed })
  const isOverridden = isBack || missing.length + changed.length > 0
  return { from, to, content, missing: [...missing, ...changed], overrideReason: isOverridden ? reason : undefined }
}

export async function enterGate(ports: TaskPorts, task: OpenTask, request: GateRequest): Promise<CheckpointResult> {
  refuseRegression(task)
  const { from, to, content, missing, overrideReason } = await planGate(ports, task, request)
  // A person may take a task back, or force it on, without a session; work goes forward in one.
  const isForward = gateNumber(to) > gateNumber(from)
  if (request.session === undefined && isForward && request.isForced !== true) refuseWithoutSession(task)
  return writeCheckpoint(ports, task, {
    type: 'gate_transition',
    gate: to,
    content,
    session: request.session,
    evidence: collectEvidence(task.folder, to),
    missing,
    ...(overrideReason !== undefined && { overrideReason }),
    changeStatus: (status) => (status.status === 'complete' ? { ...status, status: 'in-progress' } : status),
  })
}

/** What is missing of the last gate's work and of the archive. Refuses it unless forced with a reason. */
export function findMissingWork(
  { folder }: OpenTask,
  content: CheckpointContent,
  archive: {
    readonly summary: string | undefined
    readonly lessons: readonly string[]
    readonly isForced: boolean
    readonly reason: string | undefined
  },
): readonly string[] {
  const gate = getCurrentGate(folder)
  const missing = [
    // Nothing follows the last gate.
    ...findMissingParts(gate, { ...content, nextSteps: ['none'] }),
    ...findMissingPages(folder, gate),
    ...(archive.summary?.trim() ? [] : ['the final summary (--summary)']),
    ...(archive.lessons.length > 0 ? [] : ['lessons learned (--lesson)']),
  ]
  const changed = findChangedEvidence(folder, listEvidenceBefore(listCheckpoints(folder), gate))
  if (!archive.isForced) refuseUnfinishedGate(folder.slug, gate, { missing, changed })
  else if (!archive.reason?.trim())
    throw new HoldfastError('invalid-input', 'Archiving a task with --force needs a reason: --reason "…".')
  return [...missing, ...changed]
}
