import { expect, test } from 'vitest'
import { RunState } from './run-state.ts'

const start = { tree: 't0', position: 'G4-3' }
const failed = (position: string) => ({ tree: 't1', position, failure: 'f' })

test('failures that a killed run counted belong to the step where this one began, and to no other', () => {
  const state = new RunState(start, 2)
  state.laps.push(failed('G4-3'))
  expect([state.failuresAtStep, state.failuresInRun]).toEqual([3, 1])
  state.laps.push(failed('G4-4'))
  expect([state.failuresAtStep, state.failuresInRun]).toEqual([1, 2])
})

test('a session that ended well starts the count again', () => {
  const state = new RunState(start, 2)
  state.laps.push({ tree: 't1', position: 'G4-3' }, failed('G4-3'))
  expect(state.failuresAtStep).toBe(1)
})
