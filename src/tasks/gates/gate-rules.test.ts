import { expect, test } from 'vitest'
import { findGateProblems, findHeldGates, findOpenGates, refuseGate } from './gate-rules.ts'
import type { Gate } from '../model/gate.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import { aCheckpoint } from '../../../test/support/task-chain.ts'

function entered(gate: Gate, reason: string | null = null): TaskCheckpoint {
  return aCheckpoint({ id: `ckpt-${gate}`, more: { gate, type: 'gate_transition', override_reason: reason } })
    .checkpoint
}

test('gates are held once entered, and those after it are lost by going back with a reason', () => {
  expect([...findHeldGates([entered('G0'), entered('G1'), entered('G2')])]).toEqual(['G0', 'G1', 'G2'])
  expect([...findHeldGates([entered('G0'), entered('G1'), entered('G2'), entered('G1', 'wrong plan')])]).toEqual([
    'G0',
    'G1',
  ])
})

test('an earlier gate of another clone removes nothing', () => {
  expect([...findHeldGates([entered('G0'), entered('G2'), entered('G1')])]).toEqual(['G0', 'G2', 'G1'])
})

test('a gate needs every required gate before it', () => {
  const held = new Set<Gate>(['G0', 'G1'])
  expect(findGateProblems({ flow: 'feature', to: 'G4', held })).toEqual([
    'The flow feature needs G2 Plan, G3 Scaffold first.',
  ])
  expect(findGateProblems({ flow: 'feature', to: 'G2', held })).toEqual([])
  expect(findGateProblems({ flow: 'research', to: 'G4', held })).toEqual([
    'G4 Implement is not a gate of the flow research.',
  ])
  expect(() => refuseGate('feat-x', { flow: 'feature', to: 'G4', held })).toThrow(
    'The task feat-x cannot be at G4 Implement yet.',
  )
})

test('optional gates may be skipped', () => {
  const held = new Set<Gate>(['G0', 'G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7'])
  expect(findGateProblems({ flow: 'feature', to: 'G10', held })).toEqual([])
  expect(findOpenGates('feature', held)).toEqual([])
  expect(findOpenGates('review', new Set<Gate>(['G5']))).toEqual(['G6', 'G7', 'G10'])
})
