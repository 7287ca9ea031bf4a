import { expect, test } from 'vitest'
import { findStatedDates } from './stated-dates.ts'
import { parseTimeQuestion } from './time-words.ts'

/** A Wednesday, in the local calendar. */
const NOW = new Date(2026, 10, 18, 15, 30).getTime()
const day = (year: number, month: number, date: number) => new Date(year, month - 1, date).getTime()

test.each([
  ['what did we do yesterday?', 'what did we do ?', day(2026, 11, 17), day(2026, 11, 18)],
  ['what changed last week', 'what changed', day(2026, 11, 9), day(2026, 11, 16)],
  [
    'what did we decide in March about the queue?',
    'what did we decide about the queue?',
    day(2026, 3, 1),
    day(2026, 4, 1),
  ],
  ['what happened in December', 'what happened', day(2025, 12, 1), day(2026, 1, 1)],
  ['notes since Monday', 'notes', day(2026, 11, 16), undefined],
  ['what failed three days ago?', 'what failed ?', day(2026, 11, 15), day(2026, 11, 16)],
  ['releases before 2024', 'releases', undefined, day(2024, 1, 1)],
  ['what was filed after 2022', 'what was filed', day(2023, 1, 1), undefined],
  ['work between 1 May 2026 and 3 May 2026', 'work', day(2026, 5, 1), day(2026, 5, 4)],
])('%s', (text, left, from, to) => {
  const { text: said, window } = parseTimeQuestion(text, NOW)
  expect([said, window?.from, window?.to]).toEqual([left, from, to])
})

test.each([
  ['the latest response time', 'newest'],
  ['where do I currently work?', 'newest'],
  ['how many points had the last sprint', 'newest'],
  ['what was our first decision?', 'oldest'],
  ['what is my first name?', undefined],
  ['how long does a build last?', undefined],
])('%s: %s', (text, order) => {
  expect(parseTimeQuestion(text, NOW).order).toBe(order)
})

test('an event names a time, and what was before it is the subject', () => {
  expect(parseTimeQuestion('which rules changed before the audit?', NOW)).toEqual({
    text: 'which rules changed ?',
    words: 'before the audit',
    event: { side: 'before', text: 'the audit' },
  })
})

test('what names no time is left as it is', () => {
  for (const text of ['may I march on?', 'who owns billing', 'port 2048', 'he was second to none']) {
    expect(parseTimeQuestion(text, NOW)).toEqual({ text, words: '' })
  }
})

test('dates of a statement are seen from when it was stored', () => {
  const from = (text: string) => findStatedDates(text, NOW).map((span) => span.from)
  expect(from('Sprint 14 ended on 2025-09-12.')).toEqual([day(2025, 9, 12)])
  expect(from('The audit took place in Q3 2025, the first one last year.')).toEqual([day(2025, 7, 1), day(2025, 1, 1)])
  expect(from('The team meets every Tuesday in room 2024.')).toEqual([])
  expect(from('Released on 31 February 2024 with 1999 fixes')).toEqual([day(2024, 2, 1)])
})
