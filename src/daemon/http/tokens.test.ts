import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureToken, isSameToken } from './tokens.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-token-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('a token is made once, for the user alone', () => {
  const file = join(dir, 'token')
  const token = ensureToken(file)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(ensureToken(file)).toBe(token)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(ensureToken(join(dir, 'other'))).not.toBe(token)
})

test.each([0o640, 0o604, 0o660])('a token that others may read is refused (%o)', (mode) => {
  const file = join(dir, 'token')
  ensureToken(file)
  chmodSync(file, mode)
  expect(() => ensureToken(file)).toThrow('is open to other users')
})

test('a link or a folder in its place is refused', () => {
  const real = join(dir, 'real')
  ensureToken(real)
  symlinkSync(real, join(dir, 'link'))
  expect(() => ensureToken(join(dir, 'link'))).toThrow('cannot be opened')
  mkdirSync(join(dir, 'folder'), { mode: 0o700 })
  expect(() => ensureToken(join(dir, 'folder'))).toThrow('is open to other users')
})

test('a file that holds no token of ours is replaced', () => {
  const file = join(dir, 'token')
  writeFileSync(file, 'short\n', { mode: 0o600 })
  const token = ensureToken(file)
  expect(readFileSync(file, 'utf8')).toBe(`${token}\n`)
})

test('tokens are compared whole', () => {
  expect(isSameToken('abc', 'abc')).toBe(true)
  const others = ['ab', '', 'abd', 'abcd', 'abc\0', `abc${'\0'.repeat(300)}`, 'x'.repeat(100_000), 'äbc']
  expect(others.filter((other) => isSameToken(other, 'abc'))).toEqual([])
  const long = 'x'.repeat(300)
  expect(isSameToken(`${long}a`, `${long}b`)).toBe(false)
})
