import { expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import { estimateTokens } from './watch-context.ts'

const said = anEvent('prompt-submitted', { prompt: 'x'.repeat(4_000) })

test('texts count four characters per token, on top of the base of every session', () => {
  expect(estimateTokens([])).toBe(15_000)
  expect(estimateTokens([said, said])).toBe(17_000)
})

test('a compaction leaves only its summary', () => {
  const compacted = anEvent('compaction-finished', { trigger: 'auto', summary: 'y'.repeat(400) })
  expect(estimateTokens([said, said, compacted])).toBe(15_100)
  expect(estimateTokens([said, anEvent('session-started', { source: 'clear' }), said])).toBe(16_000)
})
