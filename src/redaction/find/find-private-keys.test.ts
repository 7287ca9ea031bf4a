import { afterEach, expect, test, vi } from 'vitest'
import { findPrivateKeys } from './find-private-keys.ts'
import { pattern } from '../text/patterns.ts'
import { replaceSpans } from '../text/span.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const BEGIN = '-----BEGIN RSA PRIVATE KEY-----'
const LONG_WORD = 'QUJD'.repeat(12)

// Each of these lines looks like a header or a body line of the key that starts above.
test.each([`password: ${BEGIN}\n`, `${BEGIN}${LONG_WORD}\n`, `${BEGIN}\npassword: hunter2x9\n`])(
  'every line of a text of %j is read a bounded number of times',
  (unit) => {
    const units = 500
    const reads = vi.spyOn(pattern.keyLine, 'test')
    findPrivateKeys(unit.repeat(units))
    expect(reads.mock.calls.length).toBeGreaterThan(0)
    expect(reads.mock.calls.length).toBeLessThanOrEqual(units * 4)
  },
)

test('a key is found whole where the first line of the next one looks like part of it', () => {
  const key = `${BEGIN}\n${LONG_WORD}\n`
  const text = `before\n${key}password: ${key}password: ${LONG_WORD}${key}after`
  const clean = replaceSpans(text, findPrivateKeys(text))
  expect(clean.replaceAll('[REDACTED:private-key]', '')).toBe('before\nafter')
})

test.each([
  ['a <private>b</private> c', 'a [REDACTED:private] c'],
  ['a <private>b\nc', 'a [REDACTED:private]'],
  ['a <PRIVATE>b</Private> c', 'a [REDACTED:private] c'],
  ['a < private >b</ private > c', 'a [REDACTED:private] c'],
  ['a <private why="x">b</private\n> c', 'a [REDACTED:private] c'],
  ['a <private>b <private>c</private> d</private> e', 'a [REDACTED:private] e'],
  ['a <private>b</private> c <private>d</private> e', 'a [REDACTED:private] c [REDACTED:private] e'],
  ['what does `<private>` do?', 'what does `<private>` do?'],
  ['`<private>` is a tag\n<private>b', '`<private>` is a tag\n[REDACTED:private]'],
  ['`<private>` is a tag <private>b</private> c', '`<private>` is a tag [REDACTED:private] c'],
  ['a `<private>` b `</private>` c', 'a `[REDACTED:private]` c'],
  ['a `<private>b` c', 'a `[REDACTED:private]'],
  ['<private>a `<private>` b', '[REDACTED:private]'],
  ['<private>a `<private>` b</private> c', '[REDACTED:private]'],
  ['a </private> b <privately> c <privates>', 'a </private> b <privately> c <privates>'],
])('a private span is removed whole: %j', (text, clean) => {
  expect(replaceSpans(text, findPrivateKeys(text))).toBe(clean)
})
