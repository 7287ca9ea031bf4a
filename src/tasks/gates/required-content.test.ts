import { expect, test } from 'vitest'
import { missingArtefacts, missingRequired, missingWanted } from './required-content.ts'

test('a decision needs its rationale and its alternatives, each named when missing', () => {
  expect(missingRequired('decision', {})).toEqual([
    'a decision',
    'the rationale of each decision',
    'the alternatives that were considered',
  ])
  const decisions = [{ decision: 'JWT', rationale: ' ', alternatives_considered: [] }]
  expect(missingRequired('decision', { decisions })).toEqual([
    'the rationale of each decision',
    'the alternatives that were considered',
  ])
  const whole = [{ decision: 'JWT', rationale: 'stateless', alternatives_considered: ['cookies'] }]
  expect(missingRequired('decision', { decisions: whole })).toEqual([])
})

test('files need a list and a summary, an error its resolution, an end its summary', () => {
  expect(missingRequired('file_change', { files: [] })).toEqual(['the list of files', 'a summary'])
  expect(missingRequired('error_recovery', { errors: [{ error: 'EACCES', resolution: '' }] })).toEqual([
    'its resolution',
  ])
  expect(missingRequired('session_end', {})).toEqual(['a summary'])
})

test('a gate is entered without its full state, and the checkpoint says what it lacks', () => {
  expect(missingRequired('gate_transition', { summary: 'G0 → G1' })).toEqual([])
  expect(missingWanted('gate_transition', { summary: 'G0 → G1' })).toEqual([
    'a decision',
    'the test status',
    'the next steps',
  ])
})

test('artefacts of a gate that are not there are named', () => {
  expect(missingArtefacts('G2', (path) => path === 'plan/PLAN.md')).toEqual(['plan/tdd-plan.md of G2 Plan'])
})
