import { describe, expect, test } from 'vitest'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()
const SESSION = '0f8e2d7c9b1a4e6d3c5f7a9b2d4e6f80'

describe('session cookies are removed', () => {
  test.each([
    [`Set-Cookie: sid=${SESSION}; Path=/; HttpOnly`, 'Set-Cookie: [REDACTED:secret]; Path=/; HttpOnly'],
    [`Cookie: theme=dark; id=${SESSION}; lang=en`, 'Cookie: theme=dark; id=[REDACTED:cookie]; lang=en'],
    [
      `{"out":"HTTP/1.1\\r\\nset-cookie: a=${SESSION}; Path=/"}`,
      '{"out":"HTTP/1.1\\r\\nset-cookie: [REDACTED:secret]; Path=/"}',
    ],
    [`curl -b "a=${SESSION}; b=c" https://a`, 'curl -b "a=[REDACTED:cookie]; b=c" https://a'],
    [`-Cookie: id=${SESSION}`, '-Cookie: [REDACTED:secret]'],
  ])('%s', (text, clean) => {
    expect(redactor.redact(text)).toBe(clean)
  })

  test.each([
    'Set-Cookie: theme=dark; Path=/; Max-Age=31536000',
    'Cookie: lang=en-US; tz=Europe/Berlin',
    'Set-Cookie: sid=deleted; expires=Thu, 01 Jan 1970 00:00:00 GMT',
    'curl -b cookies.txt https://a',
    'cookie: { httpOnly: true, sameSite: "lax" }',
  ])('%s stays', (text) => {
    expect(redactor.redact(text)).toBe(text)
  })
})
