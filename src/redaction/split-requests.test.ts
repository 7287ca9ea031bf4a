import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { redactFields } from './redact-fields.ts'
import { redactInput } from './redact-input.ts'
import { createRedactor } from './redactor.ts'

const BEGIN = '-----BEGIN RSA PRIVATE KEY-----'
const END = '-----END RSA PRIVATE KEY-----'
const MARK = '[REDACTED:private-key]'
const digest = (seed: string) => createHash('sha512').update(seed).digest('base64').replace(/=+$/, '')
const BODY = [...Array.from({ length: 6 }, (_, line) => digest(`line ${line}`).slice(0, 64)), 'q7Rk2x9Zp4=='] as const

const kept = (value: unknown) => BODY.filter((line) => JSON.stringify(value).includes(line))

describe('a private key whose armour and body are in different fields of a request', () => {
  const cwd = '/srv/projects/payments/services/gateway/backend'
  const sessionKey = '7f2fbf270a4442e394a14bfb5b48f0717f2fbf27'

  test.each([
    ['in their order', { cwd, summary: BEGIN, sessionKey, next: BODY, outcome: END }],
    ['the body first', { next: BODY, cwd, summary: BEGIN, sessionKey, outcome: END }],
    ['the body last', { summary: BEGIN, cwd, outcome: END, sessionKey, next: BODY }],
    ['the lines turned round', { outcome: END, cwd, next: BODY, sessionKey, summary: BEGIN }],
    ['no last line', { summary: BEGIN, cwd, sessionKey, next: BODY }],
    [
      'a field of objects',
      { summary: BEGIN, cwd, sessionKey, next: BODY.map((decision) => ({ decision })), outcome: END },
    ],
    [
      'words before the armour',
      { summary: `the key: ${BEGIN}`, cwd, sessionKey, next: BODY, outcome: `${END} and so on` },
    ],
  ])('is gone: %s', (_, value) => {
    const clean = redactInput(value)
    expect(kept(clean)).toEqual([])
    expect(clean).toMatchObject({ cwd, sessionKey })
  })

  test('is removed where its body is one line in a field of its own', () => {
    const line = digest('single').slice(0, 64)
    expect(redactInput({ summary: BEGIN, cwd, next: [line], outcome: END })).toMatchObject({ cwd, next: [MARK] })
    expect(redactInput({ next: line, summary: BEGIN, cwd, outcome: END })).toMatchObject({ cwd, next: MARK })
  })

  test('leaves a request that only mentions keys', () => {
    const value = {
      cwd,
      sessionKey,
      summary: `Search the repository for ${BEGIN} lines`,
      files: ['src/components/button', 'src/core/redaction/redactor', sessionKey, 'docs/keys.md'],
      cursor: digest('cursor').slice(0, 64),
    }
    expect(redactInput(value)).toBe(value)
  })

  test('is removed where a use case redacts its fields', () => {
    const redactor = createRedactor()
    const clean = redactFields(redactor, (field) => ({
      summary: field(BEGIN),
      next: BODY.map((line) => field(line, 'next')),
      outcome: field(END),
    }))
    expect(kept(clean).filter((line) => line.length > 16)).toEqual([])
  })
})

describe('a secret whose name is the previous item', () => {
  const redactor = createRedactor()
  test.each([
    'DB password is',
    'DB password is:',
    '- the password for the staging box is',
    'Das Passwort ist',
    'The API token was',
    '**DB password is**',
  ])('%s', (name) => {
    const value = 'Xk39qQz1Lm72Wd'
    expect(redactor.redactAll(['Deploy the page', name, value, 'Restart'])[2]).toMatch(/^\[REDACTED:\w+\]$/)
    expect(redactor.redact(`${name}\n${value}\n`)).not.toContain(value)
    expect(redactInput({ next: [name, value] }).next[1]).not.toBe(value)
  })

  test('a name without a verb, and then a random value', () => {
    expect(redactor.redactAll(['The DB password', 'Xk39qQz1Lm72Wd'])[1]).toBe('[REDACTED:password]')
  })

  test.each([
    ['The password is', 'stored in the vault'],
    ['The password is', 'hashed'],
    ['What the token is', 'src/token-handling.ts'],
    ['this is', 'Xk39qQz1Lm72Wd'],
    ['Rotate the password', 'src/auth2/Login.ts'],
    ['Fix the token', '3f2a9c81d03f2a9c81d0'],
    ['Reset the password', 'AuthServiceV2'],
    ['Check the key', 'PROJ-1234'],
  ])('%s / %s stays', (before, after) => {
    const items = [before, after]
    expect(redactor.redactAll(items)).toBe(items)
    expect(redactor.redact(items.join('\n'))).toBe(items.join('\n'))
  })
})
