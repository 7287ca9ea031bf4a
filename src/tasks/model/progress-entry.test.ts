import { expect, test } from 'vitest'
import { isWritten } from './scaffold.ts'
import { durationText } from './progress-entry.ts'

test('durations are said in hours and minutes, and a clock that went back makes none', () => {
  const at = (time: string) => `2026-01-02T${time}:00.000Z`
  expect(durationText(at('03:00'), at('03:42'))).toBe('42 min')
  expect(durationText(at('03:00'), at('05:05'))).toBe('2 h 5 min')
  expect(durationText(at('03:00'), at('02:00'))).toBe('0 min')
})

test('a page with nothing but headings and comments says nothing yet', () => {
  expect(isWritten('# Research\n\n<!-- findings\ngo here -->\n')).toBe(false)
  expect(isWritten('# Research\n\nJWT it is.\n')).toBe(true)
})
