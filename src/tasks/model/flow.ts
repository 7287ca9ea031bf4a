import { HoldfastError } from '../../kernel/errors.ts'
import { type Gate, GATES } from './gate.ts'

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

export function isGateOf(flow: Flow, gate: Gate): boolean {
  return FLOW_GATES[flow].required.includes(gate) || FLOW_GATES[flow].optional.includes(gate)
}

/** Where a task of this flow begins. */
export function firstGate(flow: Flow): Gate {
  return FLOW_GATES[flow].required[0] ?? 'G0'
}

export function parseFlow(text: string): Flow {
  const flow = FLOWS.find((known) => known === text.trim().toLowerCase())
  if (flow !== undefined) return flow
  throw new HoldfastError('invalid-input', `${JSON.stringify(text.slice(0, 80))} is no flow.`, {
    hint: `Flows are ${FLOWS.join(', ')}.`,
  })
}
