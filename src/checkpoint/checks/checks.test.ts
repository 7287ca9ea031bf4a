import { describe, expect, test } from 'vitest'
import type { ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { changesTree, listCurrentChecks, readChecks, withChecks } from './checks.ts'

const at = (command: string, outcome: Partial<ToolOutcome> = {}, call: Partial<ToolCall> = {}) => ({
  tool: { name: 'Bash', kind: 'shell' as const, files: [], command, ...call },
  outcome: { ok: (outcome.exitStatus ?? 0) === 0, ...outcome },
})
const read = (...[command, outcome, call]: Parameters<typeof at>) =>
  readChecks(at(command, outcome, call), { worktree: '/repo', cwd: '/repo' }, 1)
const verdicts = (...run: Parameters<typeof at>) => read(...run).map(({ command, verdict }) => `${command}: ${verdict}`)

const RED = ' Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)'
const GREEN = ' Test Files  1 passed (1)\n      Tests  3 passed (3)'

describe('the verdict of a check', () => {
  test.each([
    ['the status alone', 'npm test', {}, ['npm test: passed']],
    ['a failed status', 'npm test', { exitStatus: 1 }, ['npm test: failed']],
    [
      'a later failure of a chain',
      'npm run lint && npm test',
      { exitStatus: 1, output: RED },
      ['npm run lint: passed', 'npm test: failed'],
    ],
    [
      'an earlier failure of a chain: the rest did not run',
      'npm run lint && npm test',
      { exitStatus: 1, output: '✖ 3 problems (2 errors, 1 warning)' },
      ['npm run lint: failed'],
    ],
    [
      'a failed chain without a result',
      'npm run lint && npm test',
      { exitStatus: 1 },
      ['npm run lint: unknown', 'npm test: unknown'],
    ],
    [
      'a failed commit after green tests',
      'npm test && git commit -m x',
      { exitStatus: 1, output: GREEN },
      ['npm test: passed'],
    ],
    ['a pipe', 'npm test | tail -3', { output: '   Duration  1s' }, ['npm test: unknown']],
    ['a pipe with the result', 'npm test 2>&1 | tail -3', { output: RED }, ['npm test: failed']],
    ['pipefail', 'set -o pipefail; npm test | tail -3', { exitStatus: 1 }, ['npm test: failed']],
    ['a status that is swallowed', 'npm test || true', { output: RED }, ['npm test: failed']],
    ['a status that is printed', 'npm test; echo "exit: $?"', { output: 'exit: 2' }, ['npm test: failed']],
    [
      'a head that cuts',
      'go test ./... | head -2',
      { output: 'ok  \ta/b\t0.1s\nok  \ta/c\t0.1s' },
      ['go test ./...: unknown'],
    ],
    [
      'a head that does not',
      'go test ./... | head -9',
      { output: 'ok  \ta/b\t0.1s\nok  \ta/c\t0.1s' },
      ['go test ./...: passed'],
    ],
    ['no tests', 'pytest -k x', { exitStatus: 5, output: '12 deselected in 0.02s' }, ['pytest -k x: nothing-ran']],
    ['no script', 'npm test', { exitStatus: 1, output: 'npm error Missing script: "test"' }, ['npm test: nothing-ran']],
    ['fail 0', 'node --test', { output: 'ℹ pass 3\nℹ fail 0' }, ['node --test: passed']],
    ['a time limit', 'timeout 60 npm test', { exitStatus: 124 }, ['npm test: unknown']],
    ['a silent compiler behind a pipe', 'npx tsc --noEmit | head -20', { output: '' }, ['npx tsc --noEmit: passed']],
    ['a shell of its own', "bash -lc 'cd api && npm test'", { exitStatus: 1 }, ['(cd api && npm test): failed']],
    [
      'a shell of its own, in a chain',
      'sh -c "npm run lint; npm test" && echo ok',
      { exitStatus: 1, output: RED },
      ['npm run lint: unknown', 'npm test: failed'],
    ],
    ['maven, which installs what it tested', 'mvn -q install', { exitStatus: 1 }, ['mvn -q install: failed']],
    ['the code before the change', 'git stash; npm test; git stash pop', { output: RED }, []],
    ['a script that prints totals', './verify.sh', { output: '12 passed, 1 failed' }, ['./verify.sh: failed']],
    ['what formats and installs', 'npm ci && cargo fmt && npx prettier --write .', {}, []],
  ])('%s', (_name, command, outcome, expected) => {
    expect(verdicts(command, outcome)).toEqual(expected)
  })

  test('a refused, stopped or backgrounded command is not a run', () => {
    expect([
      verdicts('npm test', { exitStatus: 1, refused: { by: 'user' } }),
      verdicts('npm test', { exitStatus: 1, interrupted: true }),
      verdicts('npm test', { backgroundId: 'b1' }),
      verdicts('npm test', {}, { isBackground: true }),
      verdicts('npm test & sleep 5'),
    ]).toEqual([[], [], [], [], []])
  })

  test('has the line verbatim, the count and the names of failing tests', () => {
    const output = 'FAILED tests/test_a.py::test_sum - assert 1 == 2\n==== 1 failed, 3 passed in 0.12s ===='
    expect(read('pytest', { exitStatus: 1, output })).toEqual([
      {
        key: 'pytest',
        command: 'pytest',
        purpose: 'test',
        verdict: 'failed',
        line: '==== 1 failed, 3 passed in 0.12s ====',
        passed: 3,
        failing: ['tests/test_a.py::test_sum'],
        order: 1,
      },
    ])
  })
})

test('a later green run of the same or a wider check overtakes a failure', () => {
  const run = (command: string, exitStatus: number, order: number) =>
    readChecks(at(command, { exitStatus }), { worktree: '/repo', cwd: '/repo' }, order)
  const narrow = run('go test ./a/b -run TestX', 1, 1)
  const other = run('go vet ./...', 1, 2)
  const all = withChecks(withChecks(withChecks([], narrow), other), run('go test ./...', 0, 3))
  expect(listCurrentChecks(all).map(({ command }) => command)).toEqual(['go vet ./...', 'go test ./...'])
})

test('another branch, a merge or a stash changes the code; a new branch does not', () => {
  const changed = ['git checkout main', 'git stash', 'git pull', 'git reset --hard', 'git checkout -b x', 'git status']
  expect(changed.filter((command) => changesTree(at(command), () => false))).toEqual(changed.slice(0, 4))
  expect(changesTree(at('git pull', { output: 'Already up to date.' }), () => true)).toBe(false)
})
