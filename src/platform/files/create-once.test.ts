import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { createFileOnce } from './atomic-file.ts'

test('the first process to create a file wins, and its content stays', () => {
  using dir = tempDir()
  const file = join(dir.path, 'key')
  expect([createFileOnce(file, 'first'), createFileOnce(file, 'second')]).toEqual([true, false])
  expect([readFileSync(file, 'utf8'), readdirSync(dir.path)]).toEqual(['first', ['key']])
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a link at the path, even a dangling one, is neither followed nor replaced', () => {
  using dir = tempDir()
  symlinkSync(join(dir.path, 'nowhere'), join(dir.path, 'key'))
  expect(createFileOnce(join(dir.path, 'key'), 'first')).toBe(false)
  expect(readdirSync(dir.path)).toEqual(['key'])
})

test('without a folder it fails, and leaves nothing', () => {
  using dir = tempDir()
  expect(() => createFileOnce(join(dir.path, 'missing', 'key'), 'x')).toThrow('ENOENT')
  expect(readdirSync(dir.path)).toEqual([])
})
