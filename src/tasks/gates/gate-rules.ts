import { HoldfastError } from '../../kernel/errors.ts'
import { type Flow, FLOW_GATES, hasGate, type Gate, formatGate, gateNumber, GATE_INFO } from '../model/gate.ts'
import type { GateEvidence, TaskCheckpoint, CheckpointContent, TaskCheckpointType } from '../model/task-checkpoint.ts'

interface RequiredPart {
  readonly name: string
  isPresent(content: CheckpointContent): boolean
}

const isText = (text: string | undefined) => text !== undefined && text.trim() !== ''

const SUMMARY: RequiredPart = { name: 'a summary', isPresent: ({ summary }) => isText(summary) }
const FILES: RequiredPart = { name: 'the list of files', isPresent: ({ files = [] }) => files.length > 0 }
const DECISIONS: RequiredPart = { name: 'a decision', isPresent: ({ decisions = [] }) => decisions.length > 0 }
const RATIONALE: RequiredPart = {
  name: 'the rationale of each decision',
  isPresent: ({ decisions = [] }) => decisions.length > 0 && decisions.every(({ rationale }) => isText(rationale)),
}
const ALTERNATIVES: RequiredPart = {
  name: 'the alternatives that were considered',
  isPresent: ({ decisions = [] }) =>
    decisions.length > 0 && decisions.every((one) => one.alternatives_considered.length > 0),
}
const ERROR: RequiredPart = {
  name: 'the error',
  isPresent: ({ errors = [] }) => errors.length > 0 && errors.every(({ error }) => isText(error)),
}
const RESOLUTION: RequiredPart = {
  name: 'its resolution',
  isPresent: ({ errors = [] }) => errors.length > 0 && errors.every(({ resolution }) => isText(resolution)),
}
const NEXT_STEPS: RequiredPart = { name: 'the next steps', isPresent: ({ nextSteps = [] }) => nextSteps.length > 0 }
const TESTS: RequiredPart = { name: 'the test status', isPresent: ({ tests }) => tests !== undefined }

/** A checkpoint without these parts is refused. */
const REQUIRED_PARTS: Readonly<Record<TaskCheckpointType, readonly RequiredPart[]>> = {
  gate_transition: [SUMMARY],
  decision: [DECISIONS, RATIONALE, ALTERNATIVES],
  file_change: [FILES, SUMMARY],
  error_recovery: [ERROR, RESOLUTION],
  session_end: [SUMMARY],
  interrupted: [SUMMARY],
  emergency: [SUMMARY],
  context_refresh: [SUMMARY],
  explicit: [SUMMARY],
}

/** Further parts of a full state. A checkpoint without them is stored with the names of the missing parts. */
const EXPECTED_PARTS: Readonly<Partial<Record<TaskCheckpointType, readonly RequiredPart[]>>> = {
  gate_transition: [DECISIONS, TESTS, NEXT_STEPS],
  session_end: [NEXT_STEPS],
}

export function findMissingRequired(type: TaskCheckpointType, content: CheckpointContent): readonly string[] {
  return REQUIRED_PARTS[type].filter((part) => !part.isPresent(content)).map(({ name }) => name)
}

export function findMissingExpected(type: TaskCheckpointType, content: CheckpointContent): readonly string[] {
  return (EXPECTED_PARTS[type] ?? []).filter((part) => !part.isPresent(content)).map(({ name }) => name)
}

/** Files that a gate should have produced and did not. */
export function findMissingArtefacts(gate: Gate, isPresent: (path: string) => boolean): readonly string[] {
  return GATE_INFO[gate].artefacts.filter((path) => !isPresent(path)).map((path) => `${path} of ${formatGate(gate)}`)
}

/** The gates that the chain proves: entered, and not undone by going back. Expects chain order. */
export function findHeldGates(checkpoints: readonly TaskCheckpoint[]): ReadonlySet<Gate> {
  const held = new Set<Gate>()
  for (const { type, gate, override_reason: reason } of checkpoints) {
    if (type !== 'gate_transition') continue
    if (reason !== null) for (const other of held) if (gateNumber(other) > gateNumber(gate)) held.delete(other)
    held.add(gate)
  }
  return held
}

/** Evidence of earlier gates; the newest entry of each file. */
export function listEvidenceBefore(checkpoints: readonly TaskCheckpoint[], gate: Gate): readonly GateEvidence[] {
  const found = new Map<string, GateEvidence>()
  for (const checkpoint of checkpoints)
    if (gateNumber(checkpoint.gate) <= gateNumber(gate))
      for (const file of checkpoint.state.evidence) found.set(file.path, file)
  return [...found.values()]
}

export interface GateStep {
  readonly flow: Flow
  readonly to: Gate
  readonly held: ReadonlySet<Gate>
  /** Paths of missing evidence of earlier gates. */
  readonly goneEvidence: readonly string[]
}

/** Why a gate cannot be entered; empty if it can. */
export function findGateProblems({ flow, to, held, goneEvidence }: GateStep): readonly string[] {
  if (!hasGate(flow, to)) return [`${formatGate(to)} is not a gate of the flow ${flow}.`]
  const missing = FLOW_GATES[flow].required.filter((gate) => gateNumber(gate) < gateNumber(to) && !held.has(gate))
  return [
    ...(missing.length === 0 ? [] : [`The flow ${flow} needs ${missing.map(formatGate).join(', ')} first.`]),
    ...goneEvidence.map((path) => `${path} existed at an earlier gate and is missing.`),
  ]
}

export function refuseGate(slug: string, step: GateStep): void {
  const problems = findGateProblems(step)
  if (problems.length === 0) return
  throw new HoldfastError(
    'conflict',
    `The task ${slug} cannot be at ${formatGate(step.to)} yet. ${problems.join(' ')}`,
    { hint: `Run \`holdfast task show ${slug}\` to see its state.` },
  )
}

/** Required gates of the flow that the chain does not prove. */
export function findOpenGates(flow: Flow, held: ReadonlySet<Gate>): readonly Gate[] {
  return FLOW_GATES[flow].required.filter((gate) => !held.has(gate))
}
