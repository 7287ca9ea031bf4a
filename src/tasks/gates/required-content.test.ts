import { expect, test } from 'vitest'
import { findMissingArtefacts, findMissingRequired, findMissingParts } from './gate-rules.ts'

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

test('a gate is left with its own parts: a decision after research, files and tests after implementation', () => {
  expect(findMissingParts('G0', {})).toEqual(['the next steps'])
  expect(findMissingParts('G1', { nextSteps: ['plan'] })).toEqual(['a decision'])
  expect(findMissingParts('G4', { nextSteps: ['verify'] })).toEqual(['the list of files', 'the test status'])
})

test('missing artefacts of a gate are named', () => {
  expect(findMissingArtefacts('G2', (path) => path === 'plan/PLAN.md')).toEqual(['plan/tdd-plan.md'])
  // Holdfast writes this page itself.
  expect(findMissingArtefacts('G4', () => false)).toEqual([])
})
