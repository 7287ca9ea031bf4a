import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { localFiles } from './files.ts'

test('a regular file has facts, a hash and a text', async () => {
  using dir = tempDir()
  const file = dir.write('x', 'hällo')
  utimesSync(file, 1_700_000_000, 1_700_000_000)
  expect(await localFiles.facts(file)).toEqual({ size: 6, modifiedAt: '2023-11-14T22:13:20.000Z' })
  expect(await localFiles.contentHash(file, 6)).toBe(createHash('sha256').update('hällo').digest('hex'))
  expect(await localFiles.readText(file, 100)).toBe('hällo')
  expect(await localFiles.readText(file, 2)).toBe('h\ufffd')
})

test('a file over the limit has no hash, and its text is truncated', async () => {
  using dir = tempDir()
  const file = dir.write('x', 'abc')
  truncateSync(file, 10_000_000_000)
  expect(await localFiles.contentHash(file, 1_000_000)).toBeUndefined()
  expect(await localFiles.readText(file, 3)).toBe('abc')
})

test('missing files, folders, FIFOs and invalid names count as missing, and nothing hangs', async () => {
  using dir = tempDir()
  mkdirSync(join(dir.path, 'folder'))
  execFileSync('mkfifo', [join(dir.path, 'fifo')])
  for (const path of [join(dir.path, 'missing'), join(dir.path, 'folder'), join(dir.path, 'fifo'), 'a\0b']) {
    expect(await localFiles.facts(path)).toBeUndefined()
    expect(await localFiles.contentHash(path, 100)).toBeUndefined()
    expect(await localFiles.readText(path, 100)).toBeUndefined()
  }
  expect(await localFiles.isDirectory(join(dir.path, 'folder'))).toBe(true)
  expect(await localFiles.isDirectory(join(dir.path, 'missing'))).toBe(false)
})
