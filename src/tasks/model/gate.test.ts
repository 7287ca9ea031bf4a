import { expect, test } from 'vitest'
import { FLOW_GATES, FLOWS, firstGate, isGateOf, parseFlow } from './flow.ts'
import { GATE_FACTS, GATES, findGate, gateLabel, gateNumber, parseGate } from './gate.ts'

test('a gate goes by its label, its number, its name and its other names', () => {
  expect(['G4', 'g4', '4', 'Implement', 'implementation', ' BUILD '].map(parseGate)).toEqual(Array(6).fill('G4'))
  expect(['merge', 'deploy', 'documentation', 'discover'].map(parseGate)).toEqual(['G7', 'G8', 'G7', 'G1'])
})

test('has the decided names, in order', () => {
  expect(GATES.map((gate) => GATE_FACTS[gate].name)).toEqual([
    'Initialize',
    'Research',
    'Plan',
    'Scaffold',
    'Implement',
    'Verify',
    'Review',
    'Document',
    'Ship',
    'Monitor',
    'Archive',
  ])
  expect(GATES.map(gateNumber)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('no name means two gates', () => {
  const names = GATES.flatMap((gate) => [GATE_FACTS[gate].name.toLowerCase(), ...GATE_FACTS[gate].aliases])
  expect(names).toEqual([...new Set(names)])
})

test('what is no gate is refused with all of them', () => {
  expect(findGate('G11')).toBeUndefined()
  expect(() => parseGate('G11')).toThrow('"G11" is no gate.')
  expect(gateLabel('G10')).toBe('G10 Archive')
})

test('flows have the gates of the workflow, and no gate is both required and optional', () => {
  expect(FLOW_GATES.feature.required).toEqual(['G0', 'G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7'])
  expect(FLOW_GATES.review.required).toEqual(['G5', 'G6', 'G7', 'G10'])
  expect(
    FLOWS.flatMap((flow) => FLOW_GATES[flow].required.filter((gate) => FLOW_GATES[flow].optional.includes(gate))),
  ).toEqual([])
  expect(firstGate('review')).toBe('G5')
  expect(isGateOf('research', 'G4')).toBe(false)
  expect(() => parseFlow('waterfall')).toThrow('"waterfall" is no flow.')
})
