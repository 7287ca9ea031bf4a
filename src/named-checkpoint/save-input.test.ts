import { expect, test } from 'vitest'
import { composeDigest } from './save-input.ts'

const saved = { name: 'keep-it' }

test('the digest has the text of the caller unchanged: newlines, spaces and indents stay', () => {
  const progress = ['one\r\n\n   two indented  ', '- three']
  expect(
    composeDigest({ task: ' Fix\tit ', progress, context: ['  alone  '], nextAction: 'go  \n on ' }, saved),
  ).toEqual({
    summary: ' Fix\tit \n- one\r\n\n   two indented  \n- three\n  alone  ',
    nextAction: 'go  \n on ',
  })
})

test('without text, or with only spaces, the digest only says that a checkpoint was saved', () => {
  const nothing = { summary: 'Saved checkpoint "keep-it".' }
  expect(composeDigest({}, saved)).toEqual(nothing)
  expect(composeDigest({ task: ' ', progress: ['', ' '], context: [], nextAction: '\n' }, saved)).toEqual(nothing)
})
