import { describe, expect, test } from 'vitest'
import type { CheckRun } from '../../kernel/checkpoint.ts'
import { checkClaims, type ClaimEvidence } from './check-claims.ts'
import { findClaims } from './find-claims.ts'

const check = (more: Partial<CheckRun> = {}): CheckRun => ({
  command: 'npm test',
  purpose: 'test',
  verdict: 'passed',
  order: 5,
  ...more,
})
const seen = (more: Partial<ClaimEvidence> = {}): ClaimEvidence => ({
  checks: [check()],
  commits: [],
  files: [],
  ...more,
})

const doubts = (text: string, evidence: ClaimEvidence) =>
  checkClaims(text, evidence).map(({ topic, kind, because }) => `${topic} ${kind}: ${because}`)

describe('a claim about a check', () => {
  test.each([
    ['passed after the last edit', seen({ lastEditOrder: 4 }), []],
    [
      'the last run failed',
      seen({ checks: [check({ verdict: 'failed', line: 'Tests  1 failed | 2 passed (3)' })] }),
      ['tests refuted: the last run of `npm test` failed: Tests 1 failed | 2 passed (3)'],
    ],
    [
      'no tests ran',
      seen({ checks: [check({ verdict: 'nothing-ran', line: 'No test files found' })] }),
      ['tests refuted: no tests ran in the last run of `npm test`: No test files found'],
    ],
    [
      'an edit after it',
      seen({ lastEditOrder: 6 }),
      ['tests outdated: code was edited after the last run of `npm test`'],
    ],
    ['an edit after the claim', seen({ lastEditOrder: 8, saidAt: 7 }), []],
    [
      'a pipe hid the result',
      seen({ checks: [check({ verdict: 'unknown' })] }),
      ['tests unobserved: the output of the last run of `npm test` does not show its result'],
    ],
    ['nothing was observed', seen({ checks: [] }), ['tests unobserved: no test run was observed']],
    [
      'a failure that still stands',
      seen({
        checks: [check({ command: 'npm run test:e2e', verdict: 'failed', order: 4 }), check()],
        lastEditOrder: 3,
      }),
      ['tests refuted: the last run of `npm run test:e2e` failed'],
    ],
  ])('%s', (_name, evidence, expected) => {
    expect(doubts('All tests pass.', evidence)).toEqual(expected)
  })

  test('a count beyond what ran is refuted, a smaller one may be a part', () => {
    const evidence = seen({ checks: [check({ passed: 9 })] })
    expect([doubts('All 12 tests pass.', evidence), doubts('The 3 new tests pass.', evidence)]).toEqual([
      ['tests refuted: the last run of `npm test` counted 9 passed tests'],
      [],
    ])
  })

  test('a checkpoint from before checks were recorded is judged by its commands', () => {
    const run = { command: 'npm test', purpose: 'test', ok: false, runs: 1, failures: 1, lastOrder: 2 } as const
    expect(doubts('Tests pass.', { commits: [], commands: [run], files: [] })).toEqual([
      'tests refuted: the last run of `npm test` failed',
    ])
  })
})

test('commits, pushes and files are unobserved, never false, unless something says otherwise', () => {
  const none = seen({ isThere: (path) => (path === 'src/b.ts' ? false : undefined) })
  expect(doubts('Committed and pushed. Created `src/a.ts`. Created `src/b.ts`. Deployed to staging.', none)).toEqual([
    'committed unobserved: no commit was observed',
    'pushed unobserved: no push was observed',
    'created unobserved: no write of `src/a.ts` was observed',
    'created refuted: `src/b.ts` does not exist',
    'deployed unobserved: no deployment was observed',
  ])
  const commits = [{ subject: 'Parser', order: 3, isPushed: true }]
  expect(doubts('Everything is committed and pushed.', seen({ commits, lastPushOrder: 3, lastEditOrder: 6 }))).toEqual([
    'committed outdated: code was edited after the last commit (Parser)',
  ])
})

test.each([
  'Once all tests pass I will commit.',
  'Do the tests pass?',
  'The tests do not pass.',
  'I wrote tests.',
  '- [ ] all tests pass',
  '10 tests pass, 2 fail.',
  '> all tests pass',
  '```\nall tests pass\n```',
  '## Next steps\n- all tests pass',
  'The function passes the test options on.',
])('%s claims nothing', (text) => {
  expect(findClaims(text)).toEqual([])
})

test('a run after the claim does not refute it; one before it does', () => {
  const checks = [{ command: 'npm test', purpose: 'test' as const, verdict: 'failed' as const, order: 9 }]
  const kinds = (saidAt: number) => checkClaims('All tests pass.', { checks, saidAt }).map(({ kind }) => kind)
  expect(kinds(5)).toEqual(['unobserved'])
  expect(kinds(12)).toEqual(['refuted'])
})

test('a failing run contradicts only what is said of its own tests', () => {
  const failed = check({
    verdict: 'failed',
    failing: ['TestBug1_NormalizesPaths'],
    line: '--- FAIL: TestBug1_NormalizesPaths',
  })
  const evidence = seen({ checks: [failed] })
  expect(doubts('Bug 2 and Bug 3 tests pass.', evidence)).toEqual([])
  expect(doubts('Bug 1 tests pass.', evidence)).toHaveLength(1)
  expect(doubts('The tests pass. The path test still fails.', evidence)).toEqual([])
  expect(doubts('The tests pass. It no longer fails on paths.', evidence)).toHaveLength(1)
})

test('a push or a commit that git refused refutes what is said of it; one with nothing to commit does not', () => {
  const run = (command: string, ok: boolean, lastOrder: number) =>
    ({ command, purpose: 'vcs', ok, runs: 1, failures: ok ? 0 : 1, lastOrder }) as const
  const commits = [{ subject: 'Parser', order: 3 }]
  const commands = [run('git commit -m Parser', true, 3), run('git push', false, 4)]
  expect(doubts('Committed and pushed.', seen({ commits, commands }))).toEqual([
    'pushed refuted: the last run of `git push` failed',
  ])
  expect(doubts('Committed.', seen({ commands: [run('git commit -m x', false, 4)] }))).toEqual([
    'committed refuted: the last run of `git commit -m x` failed',
  ])
})

test('a repair is refuted by a failing test of the same thing only', () => {
  const failed = check({ verdict: 'failed', failing: ['tests/test_orders.py::test_refund_twice'] })
  const evidence = seen({ checks: [failed] })
  expect([doubts('Fixed the double refund.', evidence), doubts('Fixed the typo in the footer.', evidence)]).toEqual([
    ['fixed refuted: the last run of `npm test` failed: tests/test_orders.py::test_refund_twice'],
    [],
  ])
  expect(doubts('Fixed the double refund.', seen({ checks: [failed], lastEditOrder: 6 }))).toEqual([
    'fixed unobserved: `npm test` failed and was not run again',
  ])
})
