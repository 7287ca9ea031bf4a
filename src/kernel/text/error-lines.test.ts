import { expect, test } from 'vitest'
import { findErrorLines, toErrorSignature } from './command-output.ts'

test('the lines that say what went wrong are found, once each', () => {
  const output = [
    '> build',
    'src/a.ts(3,4): error TS2304: Cannot find name x',
    'src/b.ts(9,1): error TS2304: Cannot find name x',
    '    at Object.<anonymous> (/x/y.js:1:1)',
    'TypeError: y is not a function',
    'func load() (string, error) {',
    '0 errors',
  ].join('\n')
  expect(findErrorLines(output, 5).map((line) => line.text)).toEqual([
    'src/a.ts(3,4): error TS2304: Cannot find name x',
    'src/b.ts(9,1): error TS2304: Cannot find name x',
    'TypeError: y is not a function',
  ])
})

test('a message is quoted as it was printed, with its paths', () => {
  const output = [
    "fatal: 'main' is already used by worktree at '/srv/work/repos/cli'",
    'cmd/app/cli/strategy/clean.go:159:18: undefined: errors',
  ]
  expect(findErrorLines(output.join('\n'), 5).map((line) => line.text)).toEqual(output)
})

test('of a message that is too long the folders of its paths are cut first, with a mark', () => {
  const path = `/srv/${'deep/'.repeat(40)}strategy/clean.go`
  expect(findErrorLines(`${path}:159:18: undefined: errors`, 5)[0]?.text).toBe(
    '…/strategy/clean.go:159:18: undefined: errors',
  )
})

test('a line that only passes on, counts or depicts a failure is not an error', () => {
  const output =
    '[lint] ERROR task failed\n  3 failed\ntest-results/sign-in/test-failed-1.png\nTypeError: x is not a function'
  expect(findErrorLines(output, 5).map((line) => line.text)).toEqual(['TypeError: x is not a function'])
})

test.each([
  ' Tests  1 failed | 2 passed (3)',
  ' Test Files  1 failed (1)',
  'Tests:       1 failed, 2 passed, 3 total',
  'test result: FAILED. 1 passed; 1 failed; 0 ignored',
  'FAILED (failures=1, errors=2)',
])('the number of failures belongs to the test report: %s', (line) => {
  expect(findErrorLines(`${line}\nTypeError: x is not a function`, 5).map(({ text }) => text)).toEqual([
    'TypeError: x is not a function',
  ])
})

test('two errors are the same when only folders, numbers and addresses differ', () => {
  expect(toErrorSignature('/home/a/x.go:12: panic at 0xdeadbeef after 3.2s')).toBe(
    toErrorSignature('/srv/b/x.go:99: panic at 0xcafe01 after 14ms'),
  )
  expect(toErrorSignature('x.go: panic')).not.toBe(toErrorSignature('y.go: panic'))
})

test('a hostile line costs no more than a long one', () => {
  expect(findErrorLines(`${'a'.repeat(200_000)} Error: x`, 3)).toEqual([])
})
