import { describe, expect, test } from 'vitest'
import { isUnreadable, randomBits, readsAsWords } from './letter-odds.ts'
import { letterTable } from './letter-odds.ts'

test('the table has two steps per character for each letter after each two others', () => {
  expect(letterTable.join('')).toHaveLength((27 * 27 * 26) / 2)
  expect(letterTable.join('')).toMatch(/^[0-o]+$/)
})

describe('random values are unreadable', () => {
  test.each(['vpaOTkooPDMN', 'UkbLiVdPbjKt', 'ltfstijx0avc', 'qwzkrmtplxvd', 'XKQZJWPVBTRG', '8h8&DS^Uxg', 'a9k2x7q4'])(
    '%s',
    (value) => {
      expect(isUnreadable(value)).toBe(true)
    },
  )
})

describe('words of a language and of code are readable', () => {
  test.each([
    ...[
      'userPassword',
      'dbPasswordField',
      'HTTPServerConnection',
      'parse_token_from_header',
      'getUserById',
      'swordfish',
    ],
    ...[
      'kubectlConfigContext',
      'src/core/redaction.ts',
      'application/json',
      'XMLHttpRequest',
      'SESSION_SECRET',
      'localhost',
    ],
    ...[
      'AbstractSingletonProxyFactoryBean',
      'process.env.DATABASE_URL',
      'node_modules',
      '2026-01-02',
      'sha256sum',
      'oauth2Token',
    ],
  ])('%s', (value) => {
    expect(isUnreadable(value)).toBe(false)
    expect(readsAsWords(`${value}-and-more-words`)).toBe(true)
  })
})

test('a long value is judged by its start', () => {
  expect(randomBits('word'.repeat(1_000))).toBe(randomBits('word'.repeat(2_000)))
})
