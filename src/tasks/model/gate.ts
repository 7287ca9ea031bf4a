import { HoldfastError } from '../../kernel/errors.ts'

export const GATES = ['G0', 'G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7', 'G8', 'G9', 'G10'] as const
export type Gate = (typeof GATES)[number]

export interface GateInfo {
  readonly name: string
  /** Lower case. */
  readonly aliases: readonly string[]
  /** What a checkpoint at this gate should contain. */
  readonly content: string
  /** Files of the task folder that the gate produces. */
  readonly artefacts: readonly string[]
}

export const GATE_INFO: Readonly<Record<Gate, GateInfo>> = {
  G0: {
    name: 'Initialize',
    aliases: ['init', 'task-init', 'start'],
    content: 'task definition, acceptance criteria',
    artefacts: ['meta/task.json'],
  },
  G1: {
    name: 'Research',
    aliases: ['discover', 'discovery'],
    content: 'research findings, approach decision',
    artefacts: ['context/research.md'],
  },
  G2: {
    name: 'Plan',
    aliases: ['planning', 'design'],
    content: 'TDD plan, implementation checklist',
    artefacts: ['plan/PLAN.md', 'plan/tdd-plan.md'],
  },
  G3: {
    name: 'Scaffold',
    aliases: ['scaffolding'],
    content: 'file structure, interface definitions',
    artefacts: [],
  },
  G4: {
    name: 'Implement',
    aliases: ['implementation', 'build', 'code'],
    content: 'code changes, test status',
    artefacts: ['work/implementation-log.md'],
  },
  G5: {
    name: 'Verify',
    aliases: ['verification', 'test'],
    content: 'quality gate results, coverage',
    artefacts: ['evidence/tests.md'],
  },
  G6: {
    name: 'Review',
    aliases: ['reviewing'],
    content: 'review feedback, resolutions',
    artefacts: ['evidence/review-notes.md'],
  },
  G7: {
    name: 'Document',
    aliases: ['documentation', 'docs', 'merge'],
    content: 'docs updated, changelog entry',
    artefacts: [],
  },
  G8: {
    name: 'Ship',
    aliases: ['deploy', 'deployment', 'release'],
    content: 'deployment evidence',
    artefacts: ['ops/rollout-plan.md'],
  },
  G9: { name: 'Monitor', aliases: ['monitoring'], content: 'deployment evidence', artefacts: [] },
  G10: {
    name: 'Archive',
    aliases: ['archived', 'close'],
    content: 'final summary, lessons learned',
    artefacts: ['SUMMARY.md'],
  },
}

export function gateNumber(gate: Gate): number {
  return GATES.indexOf(gate)
}

export function formatGate(gate: Gate): string {
  return `${gate} ${GATE_INFO[gate].name}`
}

/** By label, number, name or alias, ignoring case. */
export function findGate(text: string): Gate | undefined {
  const word = text.trim().toLowerCase()
  return GATES.find(
    (gate) =>
      gate.toLowerCase() === word ||
      gate.slice(1) === word ||
      GATE_INFO[gate].name.toLowerCase() === word ||
      GATE_INFO[gate].aliases.includes(word),
  )
}

export function parseGate(text: string): Gate {
  const gate = findGate(text)
  if (gate !== undefined) return gate
  throw new HoldfastError('invalid-input', `${JSON.stringify(text.slice(0, 80))} is not a gate.`, {
    hint: `Gates are ${GATES.map(formatGate).join(', ')}.`,
  })
}

export function laterGate(one: Gate, other: Gate): Gate {
  return gateNumber(one) >= gateNumber(other) ? one : other
}

export const FLOWS = ['feature', 'fix', 'refactor', 'research', 'review'] as const
export type Flow = (typeof FLOWS)[number]

interface FlowGates {
  readonly required: readonly Gate[]
  readonly optional: readonly Gate[]
}

const UP_TO_DOCUMENT: readonly Gate[] = GATES.slice(0, 8)

export const FLOW_GATES: Readonly<Record<Flow, FlowGates>> = {
  feature: { required: UP_TO_DOCUMENT, optional: ['G8', 'G9', 'G10'] },
  fix: { required: UP_TO_DOCUMENT, optional: ['G8', 'G9', 'G10'] },
  refactor: { required: UP_TO_DOCUMENT, optional: ['G10'] },
  research: { required: ['G0', 'G1', 'G2', 'G3'], optional: ['G10'] },
  review: { required: ['G5', 'G6', 'G7', 'G10'], optional: [] },
}

export function hasGate(flow: Flow, gate: Gate): boolean {
  return FLOW_GATES[flow].required.includes(gate) || FLOW_GATES[flow].optional.includes(gate)
}

export function getFirstGate(flow: Flow): Gate {
  return FLOW_GATES[flow].required[0] ?? 'G0'
}

export function parseFlow(text: string): Flow {
  const flow = FLOWS.find((known) => known === text.trim().toLowerCase())
  if (flow !== undefined) return flow
  throw new HoldfastError('invalid-input', `${JSON.stringify(text.slice(0, 80))} is not a flow.`, {
    hint: `Flows are ${FLOWS.join(', ')}.`,
  })
}
