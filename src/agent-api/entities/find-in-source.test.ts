import { describe, expect, test } from 'vitest'
import { findInSource } from './entity-check.ts'

const SOURCE = [
  "import { verify } from './verify.ts'",
  '',
  '// login() checks the password',
  'export async function login(user: string) {',
  '  return verify(user)',
  '}',
  "app.post('/api/login', login)",
  'export class LoginForm {',
  '  submit() {}',
  '}',
].join('\n')

describe('a name in a source', () => {
  test.each([
    ['login', 4, 4],
    ['login', 5, 4],
    ['login', undefined, 4],
    ['login()', 9, 4],
    ['LoginForm', 1, 8],
    ['LoginForm.submit', 8, 9],
    ['POST /api/login', 3, 7],
    ['verify', 1, 1],
  ])('%s, said to be near line %s, is on line %s', (name, near, line) => {
    expect(findInSource(SOURCE, name, near)).toBe(line)
  })

  test.each(['log', 'Login', 'logout', 'GET /api/logout', ''])('%s is not there', (name) => {
    expect(findInSource(SOURCE, name, 1)).toBeUndefined()
  })
})
