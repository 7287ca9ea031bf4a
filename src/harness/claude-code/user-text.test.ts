import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fence } from '../../kernel/text/fence.ts'
import { readUserText } from './user-text.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const block = fence({
  heading: '## Session Recovery Context',
  lines: ['Goal: fix the parser', 'Next: run the tests'],
  budgetChars: 2_000,
  sha256,
}).text

test.each([
  ['fix the parser', 'fix the parser'],
  ['  yes\n', 'yes'],
  ['<system-reminder>\nhook said so\n</system-reminder>\nfix it', 'fix it'],
  ['<ide_opened_file>a.ts</ide_opened_file>why?', 'why?'],
  [
    '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>pr 12</command-args>',
    '/review pr 12',
  ],
  ['<command-message>review</command-message>\n<command-name>/review</command-name>', '/review'],
  [
    '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
    undefined,
  ],
  ['<local-command-stdout>Goodbye</local-command-stdout>', undefined],
  ['[Request interrupted by user for tool use]', undefined],
  ['Operation stopped by hook: Another session is active: "Split the parser"\n\nYou can continue here.', undefined],
  ['This session is being continued from a previous conversation that ran out of context.', undefined],
  ['<task-notification>\n<task-id>1</task-id>\n</task-notification>\nRead the output file', undefined],
  ['<teammate-message teammate_id="dev">done</teammate-message>', undefined],
  ['a <system-reminder> that is never closed', 'a <system-reminder> that is never closed'],
  ['', undefined],
])('%j reads as %j', (message, expected) => {
  expect(readUserText(message)).toBe(expected)
})

test('what Holdfast put before the agent is never read back as the user speaking', () => {
  expect(readUserText(block)).toBeUndefined()
  expect(readUserText(`${block}\n\nfix the parser`)).toBe('fix the parser')
  expect(readUserText(`before\n${block}\nafter`)).toBe('before\nafter')
  expect(readUserText(block.slice(0, block.lastIndexOf('\n')))).toBeUndefined()
})

test('property: a block stays out wherever it stands in a prompt', () => {
  const words = fc.stringMatching(/^[a-z ]{0,40}$/)
  fc.assert(
    fc.property(words, words, (before, after) => {
      expect(readUserText(`${before}\n${block}\n${after}`)).toBe(`${before}\n${after}`.trim() || undefined)
    }),
  )
})

test('a control: text that merely looks like a marked line is kept', () => {
  expect(readUserText('| a | table |\n[holdfast is a tool]')).toBe('| a | table |\n[holdfast is a tool]')
})
