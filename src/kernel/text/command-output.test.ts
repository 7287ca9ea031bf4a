import { describe, expect, test } from 'vitest'
import { readTestOutput } from './command-output.ts'

describe('test runners', () => {
  test.each([
    [
      'vitest',
      ' FAIL  src/a.test.ts > adds > two numbers\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)',
      { isRed: true, passed: 2, failed: 1, pending: undefined, failing: ['src/a.test.ts > adds > two numbers'] },
    ],
    [
      'jest',
      '  ● sum › adds\n\nTests:       1 failed, 4 passed, 5 total',
      { isRed: true, passed: 4, failed: 1, pending: undefined, failing: ['sum › adds'] },
    ],
    [
      'jest, a test without a group',
      'FAIL ./sum.test.js\n  ● adds\n\nTests:       1 failed, 4 passed, 5 total',
      { isRed: true, passed: 4, failed: 1, pending: undefined, failing: ['./sum.test.js', 'adds'] },
    ],
    [
      'two packages, of which the first fails',
      '✖ adds (1ms)\nℹ pass 2\nℹ fail 1\nℹ pass 5\nℹ fail 0',
      { isRed: true, passed: 5, failed: 0, pending: undefined, failing: ['adds'] },
    ],
    [
      'what is tested prints signs of its own',
      '✗ no such file\n● Review 12\n      Tests  3 passed (3)',
      { isRed: false, passed: 3, failed: undefined, pending: undefined, failing: [] },
    ],
    [
      'pytest',
      'FAILED tests/test_a.py::test_sum - assert 1 == 2\n===== 1 failed, 3 passed, 1 skipped in 0.12s =====',
      { isRed: true, passed: 3, failed: 1, pending: 1, failing: ['tests/test_a.py::test_sum'] },
    ],
    [
      'go',
      '--- FAIL: TestSum (0.00s)\n    a_test.go:5: wrong\nFAIL\nFAIL\texample.com/a\t0.01s',
      { isRed: true, passed: undefined, failed: 2, pending: undefined, failing: ['TestSum', 'example.com/a'] },
    ],
    [
      'go, green',
      'ok  \texample.com/a\t0.012s',
      { isRed: false, passed: undefined, failed: undefined, pending: undefined, failing: [] },
    ],
    [
      'cargo',
      'test sum::adds ... FAILED\n\ntest result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured',
      { isRed: true, passed: 4, failed: 1, pending: 0, failing: ['sum::adds'] },
    ],
    [
      'node --test',
      'not ok 2 - adds two\n# pass 1\n# fail 1\n# skipped 0',
      { isRed: true, passed: 1, failed: 1, pending: 0, failing: ['adds two'] },
    ],
    [
      'mocha',
      '  3 passing (12ms)\n  1 failing',
      { isRed: true, passed: 3, failed: 1, pending: undefined, failing: [] },
    ],
    [
      'rspec',
      'rspec ./spec/a_spec.rb:4 # adds\n\n10 examples, 1 failure',
      { isRed: true, passed: 9, failed: 1, pending: undefined, failing: ['./spec/a_spec.rb:4'] },
    ],
    [
      'phpunit',
      '1) ATest::testSum\n\nTests: 5, Assertions: 9, Failures: 1.',
      { isRed: true, passed: 4, failed: 1, pending: 0, failing: ['ATest::testSum'] },
    ],
    [
      'playwright',
      '  ✓  1 [chromium] › a.spec.ts:3:3 › Cart › adds (2.6s)\n\n  1) [chromium] › a.spec.ts:9:3 › Cart › pays ────\n\n  1 failed\n    [chromium] › a.spec.ts:9:3 › Cart › pays\n  1 passed (2.6s)',
      { isRed: true, passed: 1, failed: 1, pending: undefined, failing: ['Cart › pays'] },
    ],
    [
      'phpunit, green',
      'OK (5 tests, 9 assertions)',
      { isRed: false, passed: 5, failed: undefined, pending: undefined, failing: [] },
    ],
    [
      'maven',
      '[ERROR] ATest.testSum:12 expected\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1',
      { isRed: true, passed: 3, failed: 1, pending: 1, failing: ['ATest.testSum'] },
    ],
  ])('%s', (_name, output, report) => {
    expect(readTestOutput(output)).toEqual(report)
  })

  test.each([
    ['a build', 'Compiled successfully in 2s\n12 modules'],
    [
      'lines of a prompt, with the sign of Jest',
      'PASS args-parsing\n●  Review rev_1\n│\n●  Streaming\nAll tests passed (12)',
    ],
    ['go without a package', 'no Go files in /w\nFAIL\t. [setup failed]'],
  ])('%s is not a report', (_name, output) => {
    expect(readTestOutput(output)).toBeUndefined()
  })
})
