import { expect, test } from 'vitest'
import { RunState } from './run-state.ts'

const start = { tree: 't0', position: 'G4-3' }
const failed = (position: string) => ({ tree: 't1', position, failure: 'f' })

test('failures counted by a killed run apply only to the step where this run began', () => {
  const state = new RunState(start, 2)
  state.results.push(failed('G4-3'))
  expect([state.failuresAtStep, state.failuresInRun]).toEqual([3, 1])
  state.results.push(failed('G4-4'))
  expect([state.failuresAtStep, state.failuresInRun]).toEqual([1, 2])
})

test('a successful session resets the count', () => {
  const state = new RunState(start, 2)
  state.results.push({ tree: 't1', position: 'G4-3' }, failed('G4-3'))
  expect(state.failuresAtStep).toBe(1)
})
