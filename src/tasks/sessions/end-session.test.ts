import { expect, test } from 'vitest'
import { hasContent } from '../checkpoints/checkpoint-content.ts'
import { formatDuration } from './end-session.ts'

test('durations are in hours and minutes and never negative', () => {
  const at = (time: string) => `2026-01-02T${time}:00.000Z`
  expect(formatDuration(at('03:00'), at('03:42'))).toBe('42 min')
  expect(formatDuration(at('03:00'), at('05:05'))).toBe('2 h 5 min')
  expect(formatDuration(at('03:00'), at('02:00'))).toBe('0 min')
})

test('a page with only headings and comments has no content', () => {
  expect(hasContent('# Research\n\n<!-- findings\ngo here -->\n')).toBe(false)
  expect(hasContent('# Research\n\nTBD\n- \n- [ ] \n1. ...\n| | |\n|---|---|\n**TODO**\n')).toBe(false)
  for (const line of [
    'Will be written later.',
    '| TBD | TBD |',
    '[Describe your findings here]',
    '{{content}}',
    '<describe the problem>',
    '*To be completed by the implementer.*',
    'TBD: after the spike',
    '(none yet)',
  ])
    expect({ line, is: hasContent(`# Research\n\n${line}\n`) }).toEqual({ line, is: false })
  for (const line of ['1. Write tests', '- List the files', '(see ADR 3)', 'Pending orders are kept in Redis'])
    expect({ line, is: hasContent(line) }).toEqual({ line, is: true })
  expect(hasContent('# Research\n\nJWT it is.\n')).toBe(true)
  expect(hasContent('- [ ] TODO: choose between JWT and cookies\n')).toBe(true)
})
