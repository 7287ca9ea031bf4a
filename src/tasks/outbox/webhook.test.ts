import { expect, test } from 'vitest'
import { parseWebhookAddress, formatAddress } from './webhook.ts'

test.each(['https://hooks.example.com/x?token=1', 'http://127.0.0.1:8080/', 'http://localhost/a', 'http://[::1]:9/'])(
  'events may go to %s',
  (text) => {
    expect(parseWebhookAddress(text).href).toBe(new URL(text).href)
  },
)

test.each([
  'http://example.com/',
  'http://127.0.0.1.example.com/',
  'http://localhost.example.com/',
  'ftp://example.com',
  'file:///etc/passwd',
  'https://user:password@example.com/',
  'not an address',
  '',
])('events may not go to %j, and the URL is not repeated', (text) => {
  let said = ''
  try {
    parseWebhookAddress(text)
  } catch (thrown) {
    said = String(thrown)
  }
  expect(said).toMatch(/^HoldfastError: The webhook URL /)
  expect(said).not.toContain('example')
})

test('a displayed URL has no query', () => {
  expect(formatAddress(new URL('https://hooks.example.com/x?token=abc'))).toBe('https://hooks.example.com/x?…')
})
