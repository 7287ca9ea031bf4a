import { expect, test } from 'vitest'
import { createIsListed } from './rules.ts'

test('a passage is listed if it repeats stored rules and says nothing else', () => {
  const since = '2026-01-01T00:00:00.000Z'
  const isListed = createIsListed(
    ['Every new endpoint needs a test.', 'Never push tags.'].map((text) => ({ text, since })),
  )
  const texts = [
    'Never push tags.',
    'Every new endpoint needs a test. Never push tags.',
    'Never push tags. Fix the login.',
  ]
  expect(texts.map((text) => isListed({ text }))).toEqual([true, true, false])
})
