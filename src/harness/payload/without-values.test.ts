import { describe, expect, test } from 'vitest'
import { withoutValues } from './edit-names.ts'

describe('a line that speaks of a secret', () => {
  test.each([
    ['DB_PASSWORD: correctHorseBattery', 'DB_PASSWORD'],
    ['export API_KEY=someLongValue', ''],
    ['   12→  TokenUsage: ctx.TokenUsage,', 'TokenUsage'],
    ['  "access_token": "correctHorseBattery",', 'access_token'],
    ['func (s *Lexer) readToken(input string) Token {', 'readToken'],
    ['export async function nextToken(): Promise<Token> {', 'nextToken'],
    ['type TokenUsage struct {', 'TokenUsage'],
    ['const apiKey = correctHorseBattery', 'apiKey'],
    ['  return parseSecret(correctHorseBattery)', 'parseSecret'],
  ])('%s', (line, names) => {
    expect(withoutValues(line)).toBe(names)
  })

  test.each([
    'the password is correctHorseBattery',
    'type correctHorseBattery when asked for the password',
    'login with password correctHorseBattery: refused',
    'password = correctHorseBattery',
    'Authorization: Bearer correctHorseBattery',
    'secret: [correctHorseBattery, "batteryStaple"]',
    'curl -H "X-Token: correctHorseBattery(1)" host',
    'mysql -p correctHorseBattery # the password',
    'token correctHorseBattery',
    'const password = "x" + correctHorseBattery()',
    'password:\n  correctHorseBattery',
    '  "api_key": |-  \n\n    correctHorseBattery',
    '<clientSecret>\r\n  correctHorseBattery\r\n</clientSecret>',
    'psql postgres://me:correctHorseBattery@db/main',
  ])('gives away nothing: %s', (line) => {
    expect(withoutValues(line)).not.toContain('Horse')
  })
})

describe('what redaction takes out', () => {
  test.each([
    [
      'a key over several lines',
      `-----BEGIN RSA PRIVATE KEY-----\nMIIBqZ+correctHorse+pTzW\n4kQe+batteryStaple+9xLm\n-----END RSA PRIVATE KEY-----`,
    ],
    ['a value behind a name that says no more than key', 'maps_key: "WqCorrectHorse2P3vYJuFgDuLeRTxzNi"'],
    // Joined here, so that no scanner takes this file for a leak.
    ['a token of several parts', ['uses xo', 'xb-730024589215-275892900754-9cbMOeEeUtuiHorseIxVc57VV'].join('')],
    ['a value that signs cut into pieces', 'Example= GN.7Q~4HkLZBNEbz4Jxlm~O5G6SsyFxYg6zQT'],
  ])('gives no names away in pieces: %s', (_, text) => {
    expect(withoutValues(text)).not.toMatch(/Horse|Staple|Jxlm/)
  })
})

test('the body of a function that mentions a secret is not a value', () => {
  expect(withoutValues('def read_token(line):\n    next_char = line')).toBe('read_token\n    next_char = line')
})

test('any other line is left as it is, one without a name is none', () => {
  expect(withoutValues('const mainStore = openStore(homeDir)\nnothing here\nx_y')).toBe(
    'const mainStore = openStore(homeDir)\nx_y',
  )
})
