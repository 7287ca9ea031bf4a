import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { findClaims } from './claims.ts'
import { foldEvent, foldNote } from './fold.ts'
import { type WorkState, emptyWork } from './state.ts'
import { toSummary } from '../summary.ts'

const run = (ok: boolean) =>
  anEvent('tool-finished', { tool: { name: 'Bash', kind: 'shell', files: [], command: 'npm test' }, outcome: { ok } })
const edit = () => anEvent('tool-finished')

function after(...steps: readonly (SessionEvent | string)[]): WorkState {
  return steps.reduce<WorkState>(
    (state, step) =>
      typeof step === 'string' ? foldNote(state, { kind: 'statement', text: step }) : foldEvent(state, step),
    emptyWork(),
  )
}

describe('what the agent claims', () => {
  test.each([
    'All tests pass.',
    'Great, the tests are now passing!',
    '12 tests passed',
    'Tests pass, 0 failures.',
    '12 of 12 tests pass',
  ])('%s is a claim', (text) => {
    expect(findClaims(text, 1).map(({ topic }) => topic)).toEqual(['tests'])
  })

  test.each([
    'Once all tests pass I will commit.',
    'Do the tests pass?',
    'Let me check that tests pass.',
    'The tests do not pass.',
    'I wrote tests.',
    '⏳ **Refactor** (clean up while keeping tests green)',
    '- [ ] all tests pass',
    '10 tests pass, 2 fail.',
    '40 tests passed and 1 test is still failing',
    'All tests pass except the one for empty lines.',
    'Only 3 tests pass.',
    'No tests passed.',
    '3 of 12 tests pass now.',
  ])('%s is none', (text) => {
    expect(findClaims(text, 1)).toEqual([])
  })

  test('is also what a digest says', () => {
    const digest = anEvent('digest-written', { summary: 'Parser done.\nAll tests pass.' })
    expect(toSummary(after(run(false), digest), new Map()).claims).toMatchObject([
      { text: 'All tests pass.', evidence: 'claimed', contradictedBy: '`npm test` failed when it last ran' },
    ])
  })

  test('is claimed until seen, confirmed by a green run after the last edit, contradicted by a red one', () => {
    const judged = (...steps: readonly (SessionEvent | string)[]) =>
      (toSummary(after(...steps)).claims ?? []).map(({ evidence, contradictedBy }) => [evidence, contradictedBy])
    expect(judged(edit(), 'All tests pass.')).toEqual([['claimed', undefined]])
    expect(judged(edit(), run(true), 'All tests pass.')).toEqual([['confirmed', undefined]])
    expect(judged(run(true), edit(), 'All tests pass.')).toEqual([['claimed', undefined]])
    expect(judged(edit(), run(false), 'All tests pass.')).toEqual([['claimed', '`npm test` failed when it last ran']])
  })

  test('that was so when it was said is out of date after a change, and contradicted only where it may be read', () => {
    const more = ['lexer', 'grammar', 'printer'].map((part) => `Now the ${part}${' and what hangs on it'.repeat(8)}.`)
    const judged = (...steps: readonly (SessionEvent | string)[]) =>
      (toSummary(after(...steps)).claims ?? []).map(({ contradictedBy }) => contradictedBy !== undefined)
    expect(judged(run(true), 'All tests pass.', edit(), run(false), ...more)).toEqual([false])
    expect(judged(run(true), 'All tests pass.', edit(), run(false))).toEqual([true])
    expect(judged(run(true), 'All tests pass.', run(false), ...more)).toEqual([true])
    const digest = anEvent('digest-written', { summary: 'All tests pass.' })
    expect(judged(run(true), digest, edit(), run(false), ...more)).toEqual([true])
    const briefly = ['One.', 'Two.', 'Three.', 'Four.', 'Five.']
    expect(judged(run(true), 'All tests pass.', edit(), run(false), ...briefly)).toEqual([true])
    const lengthy = `All tests pass${' on this machine and on the other'.repeat(5)}.`
    expect(judged(run(true), lengthy, edit(), run(false))).toEqual([true])
    const spaced = anEvent('digest-written', { summary: 'All tests pass,  every one.' })
    expect(judged(run(true), spaced, edit(), run(false), ...more)).toEqual([true])
  })
})
