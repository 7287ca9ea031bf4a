import { expect, test } from 'vitest'
import { findMissingArtefacts, findMissingRequired, findMissingExpected } from './gate-rules.ts'

test('a decision needs its rationale and its alternatives, each named when missing', () => {
  expect(findMissingRequired('decision', {})).toEqual([
    'a decision',
    'the rationale of each decision',
    'the alternatives that were considered',
  ])
  const decisions = [{ decision: 'JWT', rationale: ' ', alternatives_considered: [] }]
  expect(findMissingRequired('decision', { decisions })).toEqual([
    'the rationale of each decision',
    'the alternatives that were considered',
  ])
  const whole = [{ decision: 'JWT', rationale: 'stateless', alternatives_considered: ['cookies'] }]
  expect(findMissingRequired('decision', { decisions: whole })).toEqual([])
})

test('files need a list and a summary, an error its resolution, an end its summary', () => {
  expect(findMissingRequired('file_change', { files: [] })).toEqual(['the list of files', 'a summary'])
  expect(findMissingRequired('error_recovery', { errors: [{ error: 'EACCES', resolution: '' }] })).toEqual([
    'its resolution',
  ])
  expect(findMissingRequired('session_end', {})).toEqual(['a summary'])
})

test('a gate can be entered without its full state, and the checkpoint names the missing parts', () => {
  expect(findMissingRequired('gate_transition', { summary: 'G0 → G1' })).toEqual([])
  expect(findMissingExpected('gate_transition', { summary: 'G0 → G1' })).toEqual([
    'a decision',
    'the test status',
    'the next steps',
  ])
})

test('missing artefacts of a gate are named', () => {
  expect(findMissingArtefacts('G2', (path) => path === 'plan/PLAN.md')).toEqual(['plan/tdd-plan.md of G2 Plan'])
})
