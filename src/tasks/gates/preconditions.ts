import { HoldfastError } from '../../kernel/errors.ts'
import { type Flow, FLOW_GATES, isGateOf } from '../model/flow.ts'
import { type Gate, gateLabel, gateNumber } from '../model/gate.ts'
import type { EvidenceFile, TaskCheckpoint } from '../model/task-checkpoint.ts'

/** The gates that the chain proves: entered, and not left backwards since. In chain order. */
export function gatesHeld(checkpoints: readonly TaskCheckpoint[]): ReadonlySet<Gate> {
  const held = new Set<Gate>()
  for (const { type, gate, override_reason: reason } of checkpoints) {
    if (type !== 'gate_transition') continue
    if (reason !== null) for (const other of held) if (gateNumber(other) > gateNumber(gate)) held.delete(other)
    held.add(gate)
  }
  return held
}

/** What earlier gates left behind, newest last; a file that several recorded counts once. */
export function evidenceBefore(checkpoints: readonly TaskCheckpoint[], gate: Gate): readonly EvidenceFile[] {
  const found = new Map<string, EvidenceFile>()
  for (const checkpoint of checkpoints)
    if (gateNumber(checkpoint.gate) <= gateNumber(gate))
      for (const file of checkpoint.state.evidence) found.set(file.path, file)
  return [...found.values()]
}

export interface GateStep {
  readonly flow: Flow
  readonly to: Gate
  readonly held: ReadonlySet<Gate>
  /** Evidence of earlier gates that is no longer there. */
  readonly goneEvidence: readonly string[]
}

/** Why a gate cannot be entered; empty when everything before it holds. */
export function gateProblems({ flow, to, held, goneEvidence }: GateStep): readonly string[] {
  if (!isGateOf(flow, to)) return [`${gateLabel(to)} is no gate of the flow ${flow}.`]
  const wanting = FLOW_GATES[flow].required.filter((gate) => gateNumber(gate) < gateNumber(to) && !held.has(gate))
  return [
    ...(wanting.length === 0 ? [] : [`The flow ${flow} needs ${wanting.map(gateLabel).join(', ')} first.`]),
    ...goneEvidence.map((path) => `${path} was there at an earlier gate and is gone.`),
  ]
}

export function refuseGate(slug: string, step: GateStep): void {
  const problems = gateProblems(step)
  if (problems.length === 0) return
  throw new HoldfastError(
    'conflict',
    `The task ${slug} cannot be at ${gateLabel(step.to)} yet. ${problems.join(' ')}`,
    { hint: `Run \`holdfast task show ${slug}\` to see where it stands.` },
  )
}

/** Required gates of the flow that the chain does not prove. */
export function openGates(flow: Flow, held: ReadonlySet<Gate>): readonly Gate[] {
  return FLOW_GATES[flow].required.filter((gate) => !held.has(gate))
}
