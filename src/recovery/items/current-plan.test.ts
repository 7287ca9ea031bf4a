import { expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import { findCurrentPlan } from './rank-requests.ts'

const after = (text: string, order = 5) =>
  findCurrentPlan(aCheckpointOf({ plan: { text: 'Story 7', lastOrder: 4 }, asks: [{ text, at: '', order }] }).work)

test.each([
  'Continue with the next task of the story.',
  'ok great, please proceed with step three of it',
  'Yes, implement the plan as it stands, all of it.',
  'yes',
  'commit what we have and push it',
])('a plan stands after "%s"', (ask) => {
  expect(after(ask)).toBe('Story 7')
})

test.each([
  'Forget that. Write the release notes for version two.',
  'The continue button on the page does nothing, why?',
  'Now work on the release notes for version two.',
  'Please look at the flaky test in the store instead.',
])('a plan is over after "%s"', (ask) => {
  expect(after(ask)).toBeUndefined()
})

test('what was asked before the plan does not end it, and no plan is none', () => {
  expect(after('Forget that. Write the release notes for version two.', 3)).toBe('Story 7')
  expect(findCurrentPlan(aCheckpointOf({}).work)).toBeUndefined()
})
