import { expect, test } from 'vitest'
import { wordsOf } from './name-words.ts'

test('names and sentences are told apart by no more than how they are written', () => {
  const words = ['pass', 'rat']
  expect(
    ['passRate', 'pass_rate', 'PASS_RATE', 'PassRates', 'the passing rates'].map((text) => [...wordsOf(text)]),
  ).toEqual([words, words, words, words, words])
  expect([...wordsOf('HTTPServer of v2')]).toEqual(['http', 'server'])
})

test('a word that is in every sentence is none, whatever it ends in', () => {
  expect([...wordsOf('there were lines, and this is what they have')]).toEqual(['lin', 'they'])
})
