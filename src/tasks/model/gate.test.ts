import { expect, test } from 'vitest'
import { FLOW_GATES, FLOWS, getFirstGate, hasGate, parseFlow } from './gate.ts'
import { GATE_INFO, GATES, findGate, formatGate, gateNumber, parseGate } from './gate.ts'

test('a gate is found by label, number, name and alias', () => {
  expect(['G4', 'g4', '4', 'Implement', 'implementation', ' BUILD '].map(parseGate)).toEqual(Array(6).fill('G4'))
  expect(['merge', 'deploy', 'documentation', 'discover'].map(parseGate)).toEqual(['G7', 'G8', 'G7', 'G1'])
})

test('has the decided names, in order', () => {
  expect(GATES.map((gate) => GATE_INFO[gate].name)).toEqual([
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
  const names = GATES.flatMap((gate) => [GATE_INFO[gate].name.toLowerCase(), ...GATE_INFO[gate].aliases])
  expect(names).toEqual([...new Set(names)])
})

test('an unknown gate is refused with the list of gates', () => {
  expect(findGate('G11')).toBeUndefined()
  expect(() => parseGate('G11')).toThrow('"G11" is not a gate.')
  expect(formatGate('G10')).toBe('G10 Archive')
})

test('flows have the gates of the workflow, and no gate is both required and optional', () => {
  expect(FLOW_GATES.feature.required).toEqual(['G0', 'G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7'])
  expect(FLOW_GATES.review.required).toEqual(['G5', 'G6', 'G7', 'G10'])
  expect(
    FLOWS.flatMap((flow) => FLOW_GATES[flow].required.filter((gate) => FLOW_GATES[flow].optional.includes(gate))),
  ).toEqual([])
  expect(getFirstGate('review')).toBe('G5')
  expect(hasGate('research', 'G4')).toBe(false)
  expect(() => parseFlow('waterfall')).toThrow('"waterfall" is not a flow.')
})
