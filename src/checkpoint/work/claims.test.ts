import { expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent } from '../../kernel/event.ts'
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

test('a claim is also what a digest says', () => {
  const digest = anEvent('digest-written', { summary: 'Parser done.\nAll tests pass.' })
  expect(toSummary(after(run(false), digest), new Map()).claims).toMatchObject([
    { text: 'All tests pass.', evidence: 'claimed', contradictedBy: 'the last run of `npm test` failed' },
  ])
})

test("a harness's summary claims what the agent believed, and its last word on a topic counts", () => {
  const summary = '1. Earlier, all 3 tests passed.\n2. Then one failed.\n3. State: all tests pass.'
  const finished = anEvent('compaction-finished', { summary })
  expect(toSummary(after(run(false), finished)).claims).toMatchObject([
    { text: 'State: all tests pass.', contradictedBy: 'the last run of `npm test` failed' },
  ])
})

test('a claim is claimed until seen, confirmed by a green run after the last edit, contradicted by a red one', () => {
  const judged = (...steps: readonly (SessionEvent | string)[]) =>
    (toSummary(after(...steps)).claims ?? []).map(({ evidence, contradictedBy }) => [evidence, contradictedBy])
  expect(judged(edit(), 'All tests pass.')).toEqual([['claimed', undefined]])
  expect(judged(edit(), run(true), 'All tests pass.')).toEqual([['confirmed', undefined]])
  expect(judged(run(true), edit(), 'All tests pass.')).toEqual([['claimed', undefined]])
  expect(judged(run(true), 'All tests pass.', edit())).toEqual([['claimed', undefined]])
  expect(judged(edit(), run(false), 'All tests pass.')).toEqual([['claimed', 'the last run of `npm test` failed']])
})
