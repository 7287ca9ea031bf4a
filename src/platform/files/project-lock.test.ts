import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withProjectLock } from './project-file.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-lock-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const LOCK = '.x.md.holdfast-lock'

test('waits for another process, and leaves nothing behind', async () => {
  const lock = join(root, LOCK)
  writeFileSync(lock, '')
  const order: string[] = []
  const waiting = withProjectLock({ root, path: 'x.md' }, () => order.push('ours'))
  const other = new Worker(`setTimeout(() => require('node:fs').unlinkSync(${JSON.stringify(lock)}), 100)`, {
    eval: true,
  })
  expect(order).toEqual([])
  await waiting
  await other.terminate()
  expect({ order, isLeft: existsSync(lock) }).toEqual({ order: ['ours'], isLeft: false })
})

test('the lock of a killed process is taken over', async () => {
  writeFileSync(join(root, LOCK), '')
  utimesSync(join(root, LOCK), 1, 1)
  expect(await withProjectLock({ root, path: 'x.md' }, () => 'done')).toBe('done')
})

test('a failure releases the lock', async () => {
  await expect(
    withProjectLock({ root, path: 'x.md' }, () => {
      throw new Error('inside')
    }),
  ).rejects.toThrow('inside')
  expect(existsSync(join(root, LOCK))).toBe(false)
})

test('many concurrent writers lose nothing', async () => {
  const path = join(root, 'x.md')
  writeFileSync(path, '0')
  await Promise.all(
    Array.from({ length: 20 }, () =>
      withProjectLock({ root, path: 'x.md' }, () =>
        writeFileSync(path, String(Number(readFileSync(path, 'utf8')) + 1)),
      ),
    ),
  )
  expect(readFileSync(path, 'utf8')).toBe('20')
})
