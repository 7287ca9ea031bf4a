import { expect, test } from 'vitest'
import { composeDigest } from './save-input.ts'

const sections = {
  progress: '- a line\n- another',
  nextAction: 'Run it',
  blockers: '',
  decisions: '',
  context: 'the file',
}
const saved = { name: 'keep-it', task: 'The task', sections }

test('the digest has the text of the caller unchanged: newlines, spaces and indents stay', () => {
  const progress = ['one\r\n\n   two indented  ', '- three']
  expect(
    composeDigest({ task: ' Fix\tit ', progress, context: ['  alone  '], nextAction: 'go  \n on ' }, saved),
  ).toEqual({
    summary: ' Fix\tit \n- one\r\n\n   two indented  \n- three\n  alone  ',
    nextAction: 'go  \n on ',
  })
})

test('without text, or with only spaces, the digest has the text of the file', () => {
  const asInFile = { summary: 'The task\n- a line\n- another\nthe file', nextAction: 'Run it' }
  expect(composeDigest({}, saved)).toEqual(asInFile)
  expect(composeDigest({ task: ' ', progress: ['', ' '], context: [], nextAction: '\n' }, saved)).toEqual(asInFile)
  expect(composeDigest({}, { ...saved, task: '' }).summary).toMatch(/^keep-it\n/)
})
