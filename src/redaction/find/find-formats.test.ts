import { describe, expect, test } from 'vitest'
import { secretKinds, seeded } from '../../../test/support/synthetic-secrets.ts'
import { wordsBehindPrefixes } from '../../../test/support/words-behind-prefixes.ts'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()

describe("words that begin like a vendor's credential", () => {
  test('are left in prose, in code and in paths', () => {
    expect(wordsBehindPrefixes.length).toBeGreaterThanOrEqual(150)
    const texts = wordsBehindPrefixes.flatMap((word) => [`see ${word} for more`, `import('./${word}')`, `a/${word}/b`])
    expect(texts.filter((text) => redactor.redact(text) !== text)).toEqual([])
  })
})

test('any random credential after the same prefixes is removed', () => {
  const random = seeded(7)
  const kept = secretKinds
    .filter(({ isSelfEvident }) => isSelfEvident)
    .flatMap(({ make }) => Array.from({ length: 200 }, () => make(random)))
    .filter((secret) => redactor.redact(`see ${secret} for more`).includes(secret))
  expect(kept).toEqual([])
})
