import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FAILURE_KINDS, type SessionFailure, type SessionFailureKind } from './classify-failure.ts'
import { countFailuresAtStep, type SessionResult, findStall, DEFAULT_PROGRESS_LIMITS } from './progress.ts'
import { decideRetry, DEFAULT_RETRY_POLICY, type RetryDecision, type FailedStep } from './retry-policy.ts'

fc.configureGlobal({ seed: 20_261_115 })

const aFailure = (kind: SessionFailureKind): SessionFailure => ({
  kind,
  reason: 'r',
  signature: `${kind}: s`,
  failingTests: [],
})
const aStep = (kind: SessionFailureKind, given: Partial<FailedStep> = {}): FailedStep => ({
  failure: aFailure(kind),
  failuresAtStep: 1,
  failuresInRun: 1,
  isStalled: false,
  ...given,
})

describe('the reaction to each kind of failure', () => {
  test.each<[SessionFailureKind, RetryDecision]>([
    ['transient', { action: 'retry', waitMs: 1_500 }],
    ['test', { action: 'diagnose-and-retry', waitMs: 0 }],
    ['resource', { action: 'wait-and-retry', waitMs: 22_500, limitScale: 2 }],
    ['logic', { action: 'rollback-and-replan', waitMs: 0 }],
    ['persistent', { action: 'escalate', why: 'A retry cannot help.', isFixerDue: false }],
  ])('after one %s failure', (kind, decision) => {
    expect(decideRetry(aStep(kind), DEFAULT_RETRY_POLICY, 0.5)).toEqual(decision)
  })

  test('a third failure at one step is escalated, after the fixer', () => {
    for (const kind of FAILURE_KINDS)
      expect(
        decideRetry(aStep(kind, { failuresAtStep: 3, failuresInRun: 3 }), DEFAULT_RETRY_POLICY, 0.5),
      ).toMatchObject({
        action: 'escalate',
        isFixerDue: true,
      })
  })

  test('the same failure with unchanged files is escalated before its attempts are used up', () => {
    const decision = decideRetry(aStep('test', { failuresAtStep: 2, isStalled: true }), DEFAULT_RETRY_POLICY, 0)
    expect(decision).toEqual({
      action: 'escalate',
      why: 'The same failure repeated and nothing had changed.',
      isFixerDue: false,
    })
  })
})

/** Simulates a run whose sessions fail as given; returns every decision. */
function play(kinds: readonly SessionFailureKind[], positions: readonly string[], random: number) {
  const laps: SessionResult[] = []
  const decisions: RetryDecision[] = []
  for (const [n, kind] of kinds.entries()) {
    laps.push({ tree: String(n), position: positions[n] ?? 'G4', failure: `${kind}: s` })
    const decision = decideRetry(
      {
        failure: aFailure(kind),
        failuresAtStep: countFailuresAtStep(laps),
        failuresInRun: laps.length,
        isStalled: findStall({ tree: 'start', position: 'G4' }, laps, DEFAULT_PROGRESS_LIMITS) === 'same-failure',
      },
      { ...DEFAULT_RETRY_POLICY, maxFailures: 1_000 },
      random,
    )
    decisions.push(decision)
    if (decision.action === 'escalate') break
  }
  return decisions
}

const kinds = fc.array(fc.constantFrom(...FAILURE_KINDS), { minLength: 20, maxLength: 40 })
const chance = fc.double({ min: 0, max: 1, noNaN: true })

describe('any sequence of failures', () => {
  test('a step has at most three attempts and is then escalated', () => {
    fc.assert(
      fc.property(kinds, chance, (failures, random) => {
        const decisions = play(failures, [], random)
        expect(decisions.length).toBeLessThanOrEqual(DEFAULT_RETRY_POLICY.maxAttempts)
        expect(decisions.at(-1)?.action).toBe('escalate')
      }),
    )
  })

  test('a run that fails at step after step ends by its own limit', () => {
    fc.assert(
      fc.property(kinds, fc.integer({ min: 1, max: 20 }), chance, (failures, maxFailures, random) => {
        let count = 0
        for (const kind of failures) {
          count += 1
          const step = { failure: aFailure(kind), failuresAtStep: 1, failuresInRun: count, isStalled: false }
          if (decideRetry(step, { ...DEFAULT_RETRY_POLICY, maxFailures }, random).action === 'escalate') break
        }
        expect(count).toBeLessThanOrEqual(maxFailures)
      }),
    )
  })

  test('a persistent failure is never retried', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.boolean(), chance, (count, isStalled, random) => {
        const step = aStep('persistent', { failuresAtStep: count, failuresInRun: count, isStalled })
        expect(decideRetry(step, DEFAULT_RETRY_POLICY, random).action).toBe('escalate')
      }),
    )
  })

  test('waits stay within the caps', () => {
    fc.assert(
      fc.property(kinds, fc.array(fc.constantFrom('G3', 'G4', 'G5'), { minLength: 40 }), chance, (all, at, random) => {
        for (const decision of play(all, at, random))
          if (decision.action !== 'escalate')
            expect(decision.waitMs).toBeLessThanOrEqual(DEFAULT_RETRY_POLICY.resourceBackoff.maxMs)
      }),
    )
  })
})
