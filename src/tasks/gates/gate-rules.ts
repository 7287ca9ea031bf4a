import { HoldfastError } from '../../kernel/errors.ts'
import { type Flow, FLOW_GATES, GATES, hasGate, type Gate, formatGate, gateNumber, GATE_INFO } from '../model/gate.ts'
import type { GateEvidence, TaskCheckpoint, CheckpointContent, TaskCheckpointType } from '../model/task-checkpoint.ts'

interface RequiredPart {
  readonly name: string
  isPresent(content: CheckpointContent): boolean
}

const isText = (text: string | undefined) => text !== undefined && text.trim() !== ''

const SUMMARY: RequiredPart = { name: 'a summary', isPresent: ({ summary }) => isText(summary) }
const FILES: RequiredPart = { name: 'the list of files', isPresent: ({ files = [] }) => files.length > 0 }
const DECISIONS: RequiredPart = {
  name: 'a decision',
  isPresent: ({ decisions = [] }) => decisions.length > 0 && decisions.every(({ decision }) => isText(decision)),
}
const RATIONALE: RequiredPart = {
  name: 'the rationale of each decision',
  isPresent: ({ decisions = [] }) => decisions.length > 0 && decisions.every(({ rationale }) => isText(rationale)),
}
const ALTERNATIVES: RequiredPart = {
  name: 'the alternatives that were considered',
  isPresent: ({ decisions = [] }) =>
    decisions.length > 0 && decisions.every((one) => one.alternatives_considered.some(isText)),
}
const ERROR: RequiredPart = {
  name: 'the error',
  isPresent: ({ errors = [] }) => errors.length > 0 && errors.every(({ error }) => isText(error)),
}
const RESOLUTION: RequiredPart = {
  name: 'its resolution',
  isPresent: ({ errors = [] }) => errors.length > 0 && errors.every(({ resolution }) => isText(resolution)),
}
const NEXT_STEPS: RequiredPart = { name: 'the next steps', isPresent: ({ nextSteps = [] }) => nextSteps.some(isText) }
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

/** What a gate's work must contain before the task may go on. Its pages are `artefacts` of `GATE_INFO`. */
const GATE_PARTS: Readonly<Record<Gate, readonly RequiredPart[]>> = {
  G0: [NEXT_STEPS],
  G1: [DECISIONS, NEXT_STEPS],
  G2: [DECISIONS, NEXT_STEPS],
  G3: [FILES, NEXT_STEPS],
  G4: [FILES, TESTS, NEXT_STEPS],
  G5: [TESTS, NEXT_STEPS],
  G6: [NEXT_STEPS],
  G7: [FILES, NEXT_STEPS],
  G8: [NEXT_STEPS],
  G9: [NEXT_STEPS],
  G10: [],
}

export function findMissingRequired(type: TaskCheckpointType, content: CheckpointContent): readonly string[] {
  return REQUIRED_PARTS[type].filter((part) => !part.isPresent(content)).map(({ name }) => name)
}

/** Parts of the gate's work that are missing when the task leaves it. */
export function findMissingParts(gate: Gate, content: CheckpointContent): readonly string[] {
  return GATE_PARTS[gate].filter((part) => !part.isPresent(content)).map(({ name }) => name)
}

/** Holdfast writes these at the end of a session and of the task. */
const OWN_PAGES: ReadonlySet<string> = new Set(['work/implementation-log.md', 'SUMMARY.md'])

/** Files that a gate should have produced and did not. */
export function findMissingArtefacts(gate: Gate, isPresent: (path: string) => boolean): readonly string[] {
  return GATE_INFO[gate].artefacts.filter((path) => !OWN_PAGES.has(path) && !isPresent(path))
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

/** The last recorded state of each page of the gates before this one, which are finished. */
export function listEvidenceBefore(checkpoints: readonly TaskCheckpoint[], gate: Gate): readonly GateEvidence[] {
  const pages = GATES.slice(0, gateNumber(gate)).flatMap((one) => GATE_INFO[one].artefacts)
  const found = new Map<string, GateEvidence>()
  for (const { state } of checkpoints)
    for (const file of state.evidence)
      if (pages.includes(file.path) && !OWN_PAGES.has(file.path)) found.set(file.path, file)
  return [...found.values()]
}

export interface GateStep {
  readonly flow: Flow
  readonly to: Gate
  readonly held: ReadonlySet<Gate>
}

/** Why a gate cannot be entered; empty if it can. */
export function findGateProblems({ flow, to, held }: GateStep): readonly string[] {
  if (!hasGate(flow, to)) return [`${formatGate(to)} is not a gate of the flow ${flow}.`]
  const missing = FLOW_GATES[flow].required.filter((gate) => gateNumber(gate) < gateNumber(to) && !held.has(gate))
  return missing.length === 0 ? [] : [`The flow ${flow} needs ${missing.map(formatGate).join(', ')} first.`]
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

/** Refuses to leave a gate whose work is incomplete, or while finished work differs from its record. */
export function refuseUnfinishedGate(
  slug: string,
  gate: Gate,
  { missing, changed }: { readonly missing: readonly string[]; readonly changed: readonly string[] },
): void {
  const problems = [
    ...(missing.length === 0 ? [] : [`Missing: ${missing.join(', ')}.`]),
    ...changed.map((what) => `${what[0]?.toUpperCase() ?? ''}${what.slice(1)}.`),
  ]
  if (problems.length === 0) return
  throw new HoldfastError('conflict', `The task ${slug} cannot leave ${formatGate(gate)} yet. ${problems.join(' ')}`, {
    hint:
      changed.length === 0
        ? 'Add what is missing, or go on without it with --force --reason "…", which is recorded.'
        : `Record an intended change with \`holdfast task checkpoint ${slug} --type file_change --file modified:<path> --summary …\`, or go on with --force --reason "…", which is recorded.`,
  })
}

/** Required gates of the flow that the chain does not prove. */
export function findOpenGates(flow: Flow, held: ReadonlySet<Gate>): readonly Gate[] {
  return FLOW_GATES[flow].required.filter((gate) => !held.has(gate))
}
