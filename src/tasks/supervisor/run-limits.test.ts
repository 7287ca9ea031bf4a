import { describe, expect, test } from 'vitest'
import { readRunLimits } from './run-limits.ts'

describe('the limits of a run', () => {
  test('default to those of the agent loop and of the governance protocol', () => {
    expect(readRunLimits({})).toEqual({
      maxIterations: 12,
      maxMs: 45 * 60_000,
      maxSessionMs: 45 * 60_000,
      maxTokens: undefined,
      silenceMs: 600_000,
      graceMs: 5_000,
      retry: {
        maxAttempts: 3,
        maxFailures: 3,
        transientBackoff: { baseMs: 2_000, maxMs: 30_000 },
        resourceBackoff: { baseMs: 30_000, maxMs: 300_000 },
      },
      progress: { maxIterationsWithoutDiff: 2, maxRepeatedFailure: 2 },
      verify: undefined,
      fixer: undefined,
    })
  })

  test("are the project's, then the person's", () => {
    const options = {
      smokeCommand: 'npm test',
      run: {
        budgets: { maxIterations: 3, maxMinutes: 90, maxSessionMinutes: 10, maxTokens: 5_000 },
        verifyCommand: 'npm test -- --run',
        fixerCommand: ['claude', '-p', 'why?'],
        fixerMinutes: 2,
        somethingElse: true,
      },
    }
    expect(readRunLimits(options, { maxIterations: 1, maxMinutes: 5 })).toMatchObject({
      maxIterations: 1,
      maxMs: 300_000,
      maxSessionMs: 300_000,
      maxTokens: 5_000,
      verify: { argv: ['npm', 'test', '--', '--run'], maxMs: 900_000 },
      fixer: { argv: ['claude', '-p', 'why?'], maxMs: 120_000, afterFailures: 3 },
    })
  })

  test.each([
    ['more attempts than the governance protocol allows', { maxAttempts: 4 }],
    ['a fixer for longer than ten minutes', { fixerMinutes: 11 }],
    ['no sessions at all', { budgets: { maxIterations: 0 } }],
    ['a command that needs a shell', { verifyCommand: 'npm test | tee log' }],
    ['a command of nothing', { fixerCommand: [] }],
    ['a value that is not an object', 'fast'],
  ])('refuse %s', (_, run) => {
    expect(() => readRunLimits({ run })).toThrow(expect.objectContaining({ code: 'invalid-input' }))
  })
})
