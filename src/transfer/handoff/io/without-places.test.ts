import { expect, test } from 'vitest'
import { createRedactor } from '../../../redaction/redactor.ts'
import { withoutLocations } from './compose.ts'

const traveller = withoutLocations(createRedactor(), {
  checkouts: ['/home/dev/app', '/mnt/link/app'],
  userHome: '/home/dev',
})

test.each([
  ['Project: /home/dev/app', 'Project: .'],
  ['cd /home/dev/app && npm test', 'cd . && npm test'],
  ['cat "/home/dev/app/src/a.ts:12"', 'cat "src/a.ts:12"'],
  ['/mnt/link/app/.env and /home/dev/app/@scope/x', '.env and @scope/x'],
  ['/home/dev/app-two/x', '~/app-two/x'],
  ['~/.npmrc is /home/dev/.npmrc', '~/.npmrc is ~/.npmrc'],
  ['HOME=/home/dev', 'HOME=~'],
  ['/home/developer/app and /backup/home/dev/app', '/home/developer/app and /backup/home/dev/app'],
  ['/home/dev/app/', './'],
])('%s travels as %s', (text, expected) => {
  expect(traveller.redact(text)).toBe(expected)
})

test.each([
  [String.raw`cat "C:\Users\Ada Dev\app\src\a.ts:12"`, String.raw`cat "src\a.ts:12"`],
  ['file:///C:/Users/Ada Dev/app/src/a.ts', 'file:///src/a.ts'],
  [String.raw`{"cwd":"c:\\users\\ada dev\\app"}`, '{"cwd":"."}'],
  ['cd "/c/Users/Ada Dev/app" && ls', 'cd "." && ls'],
  [String.raw`C:\Users\Ada Dev\app-two\x`, String.raw`~\app-two\x`],
  [
    String.raw`C:\Users\Ada Developer\app and D:\Users\Ada Dev\app`,
    String.raw`C:\Users\Ada Developer\app and D:\Users\Ada Dev\app`,
  ],
])('on Windows %s travels as %s', (text, expected) => {
  const windows = { checkouts: [String.raw`C:\Users\Ada Dev\app`], userHome: String.raw`C:\Users\Ada Dev` }
  expect(withoutLocations(createRedactor(), windows).redact(text)).toBe(expected)
})

test('a path in a checkout inside another is relative to the inner one', () => {
  const nested = { checkouts: ['/home/dev/app', '/home/dev/app/.worktrees/fix'], userHome: '/home/dev' }
  expect(withoutLocations(createRedactor(), nested).redact('/home/dev/app/.worktrees/fix/src/a.ts')).toBe('src/a.ts')
})

test('what is a secret is taken out as before, and a home at the root of the disk takes nothing away', () => {
  const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
  expect(traveller.redact(`/home/dev/app/x ${secret}`)).not.toContain(secret)
  const atRoot = withoutLocations(createRedactor(), { checkouts: ['/'], userHome: '/' })
  expect(atRoot.redact('/etc/hosts')).toBe('/etc/hosts')
})
