import { expect, test } from 'vitest'
import { PLANTED_RULES } from '../../../test/support/planted-rules.ts'
import { ENGLISH } from './english.ts'
import { FRENCH, GERMAN, SPANISH } from './other-languages.ts'

const CUES = [...ENGLISH, ...GERMAN, ...FRENCH, ...SPANISH]
const SENTENCES = Object.values(PLANTED_RULES)
  .flat()
  .flatMap(({ rule }) => [rule, ...rule.split(/(?<=[,.;:]) /)])
  .map((sentence) => sentence.toLowerCase())

const matches = CUES.flatMap(({ needs, pattern }) =>
  needs === undefined
    ? []
    : SENTENCES.filter((sentence) => pattern.test(sentence)).map((sentence) => ({ needs, sentence })),
)

test('the short pattern that is tested first refuses nothing that the long one accepts', () => {
  expect(matches.length).toBeGreaterThan(40)
  expect(matches.filter(({ needs, sentence }) => !needs.test(sentence))).toEqual([])
})
