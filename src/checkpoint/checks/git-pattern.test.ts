import { expect, test } from 'vitest'
import { gitPattern } from './git-pattern.ts'

const COMMIT = gitPattern(String.raw`commit(?:\s|$)`)

test.each([
  ['git commit', true],
  ['git -C sub/dir commit -m x', true],
  ['git -c user.name=x --no-pager commit', true],
  ['git --git-dir ../.git --work-tree . commit', true],
  ['git --git-dir=../.git commit', true],
  ['git -C commit status', false],
  ['git status', false],
  ['git committed', false],
])('%s: %s', (command, isCommit) => {
  expect(COMMIT.test(command)).toBe(isCommit)
})

test('a long line of options ends, where each had two readings it took minutes', () => {
  expect(COMMIT.test(`git ${'-i '.repeat(600)}x`)).toBe(false)
  expect(COMMIT.test(`git ${'-i '.repeat(600)}commit`)).toBe(true)
})
