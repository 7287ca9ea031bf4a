import { describe, expect, test } from 'vitest'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()
const TOKEN = 'aQ9xZk3P0vLm8Rt2WyB7'

describe('a label after the value', () => {
  test.each([
    ['hunter2 = the password', '[REDACTED:password] = the password'],
    ['k3Yq9vTz = my db password', '[REDACTED:password] = my db password'],
    ['"Tr0ub4dor!3x" is the admin password.', '"[REDACTED:password]" is the admin password.'],
    ['use k3Yq9vTz as the password for staging', 'use [REDACTED:password] as the password for staging'],
    [`${TOKEN} (api token)`, '[REDACTED:secret] (api token)'],
    [`${TOKEN} <- token for CI`, '[REDACTED:secret] <- token for CI'],
    ['{"out":"ok\\nhunter2 = the password"}', '{"out":"ok\\n[REDACTED:password] = the password"}'],
    ['+hunter2 = the password', '+[REDACTED:password] = the password'],
  ])('gives nothing away: %s', (text, clean) => {
    expect(redactor.redact(text)).toBe(clean)
  })

  test.each([
    'word = the password',
    'step2 = the password',
    'hunter2 = password',
    'const input1 = the.password',
    'argon2id is the password hash',
    'hunter2 is the password reset page',
    'release2 (token refresh)',
    'utf8mb4 = the db password encoding',
    `${TOKEN} is the session`,
  ])('leaves what is not a secret: %s', (text) => {
    expect(redactor.redact(text)).toBe(text)
  })
})

describe('a value in the field before its name', () => {
  test.each([
    [`{"value":"${TOKEN}","name":"API_TOKEN"}`, '{"value":"[REDACTED:secret]","name":"API_TOKEN"}'],
    [`<set value="${TOKEN}" key="apiKey"/>`, '<set value="[REDACTED:secret]" key="apiKey"/>'],
  ])('%s', (text, clean) => {
    expect(redactor.redact(text)).toBe(clean)
  })

  test.each([`{"value":"${TOKEN}","name":"REVISION"}`, '{"value":"identifier","name":"token"}'])('%s stays', (text) => {
    expect(redactor.redact(text)).toBe(text)
  })
})
