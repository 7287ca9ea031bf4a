import { expect, test } from 'vitest'
import { givenNote } from './given.ts'

const sections = {
  progress: '- a line\n- another',
  nextAction: 'Run it',
  blockers: '',
  decisions: '',
  context: 'the file',
}
const saved = { name: 'keep-it', task: 'The task', sections }

test('what the caller said is noted as they said it: lines, blanks and indents of one thing stay', () => {
  const progress = ['one\r\n\n   two indented  ', '- three']
  expect(givenNote({ task: ' Fix\tit ', progress, context: ['  alone  '], nextAction: 'go  \n on ' }, saved)).toEqual({
    summary: ' Fix\tit \n- one\r\n\n   two indented  \n- three\n  alone  ',
    nextAction: 'go  \n on ',
  })
})

test('where they said nothing, or blanks, it is what the file has', () => {
  const asInFile = { summary: 'The task\n- a line\n- another\nthe file', nextAction: 'Run it' }
  expect(givenNote({}, saved)).toEqual(asInFile)
  expect(givenNote({ task: ' ', progress: ['', ' '], context: [], nextAction: '\n' }, saved)).toEqual(asInFile)
  expect(givenNote({}, { ...saved, task: '' }).summary).toMatch(/^keep-it\n/)
})
