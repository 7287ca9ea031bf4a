import { expect, test } from 'vitest'
import { aCheckpoint } from '../../../test/contracts/store-examples.ts'
import { summarySection } from './sections.ts'

function renderLines(summary: string, nextAction: string): readonly string[] {
  const checkpoint = aCheckpoint('s', { summary, nextAction })
  return summarySection({ summaries: [], checkpoints: [checkpoint], named: [] }, checkpoint.createdAt).lines
}

test('the next action is rendered unless the summary has it already', () => {
  expect(renderLines('Make the parser faster.', 'Run `npm test -- parser`.')).toEqual([
    expect.stringContaining('Make the parser faster.'),
    'next: Run `npm test -- parser`.',
  ])
  expect(renderLines('Make the parser faster.', 'Go on with: Make the parser faster.')).toEqual([
    expect.stringContaining('Make the parser faster.'),
  ])
  expect(renderLines('Make the pars…', 'Go on with: Make the parser faster.')).toHaveLength(1)
})
