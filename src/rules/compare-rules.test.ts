import { expect, test } from 'vitest'
import { isContradiction, isReleased, isSameRule } from './compare-rules.ts'

test.each([
  ['Never push to main.', "don't push to main"],
  ['Use pnpm, not npm', 'please use pnpm instead of npm'],
  ['Always run the linter before committing.', 'make sure to always run the linter before committing'],
  ["Don't touch src/legacy", 'never touch src/legacy!'],
])('%s and %s are one rule', (one, other) => {
  expect([isSameRule(one, other), isContradiction(one, other)]).toEqual([true, false])
})

test.each([
  ['Use pnpm, not npm', 'use npm, not pnpm'],
  ['Never push to main.', 'Always push to main.'],
  ['Use yarn, not npm', 'Use pnpm, not npm'],
  ["Don't use lodash", 'Use lodash.'],
])('%s and %s contradict each other', (one, other) => {
  expect([isSameRule(one, other), isContradiction(one, other), isContradiction(other, one)]).toEqual([
    false,
    true,
    true,
  ])
})

test.each([
  ['Never push to main.', 'Never force-push.'],
  ["Don't mock the database", "Don't mock the clock"],
  ['Never push to main.', 'Push to main only after the review.'],
  ['Use tabs only.', 'Use single quotes.'],
])('%s and %s are two rules', (one, other) => {
  expect([isSameRule(one, other), isContradiction(one, other)]).toEqual([false, false])
})

test.each([
  ['Never push to main.', 'ok, you can push to main again', true],
  ["Don't run the full test suite", "it's fine to run the full test suite now", true],
  ['No new dependencies.', 'forget what I said about new dependencies', true],
  ['Never push to main.', 'you can push the branch now', false],
  ['Never push to main.', 'can you push to main?', false],
])('%s: "%s" lifts it: %s', (rule, message, isLifted) => {
  expect(isReleased(rule, message)).toBe(isLifted)
})
