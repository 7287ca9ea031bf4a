import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withHarnessLock } from './harness-lock.ts'

let root: string
let lock: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-lock-'))
  lock = join(root, '.claude.json.lock')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('the lock is there during the work and gone after it, also when the work fails', () => {
  const seen: boolean[] = []
  withHarnessLock(lock, () => seen.push(existsSync(lock)))
  expect(() =>
    withHarnessLock(lock, () => {
      seen.push(existsSync(lock))
      throw new Error('no')
    }),
  ).toThrow('no')
  expect([...seen, existsSync(lock)]).toEqual([true, true, false])
})

test('one that its holder forgot long ago is taken over', () => {
  mkdirSync(lock)
  utimesSync(lock, 1_000, 1_000)
  let isDone = false
  withHarnessLock(lock, () => {
    isDone = true
  })
  expect([isDone, existsSync(lock)]).toEqual([true, false])
})

test('one that is held is waited for, and then nothing is done', () => {
  mkdirSync(lock)
  const work = () => {
    throw new Error('this must not run')
  }
  expect(() => withHarnessLock(lock, work, 100)).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect(existsSync(lock)).toBe(true)
})

test('where there is no folder to lock in, and where there is no lock, the work is done all the same', () => {
  const done: string[] = []
  withHarnessLock(join(root, 'missing', 'x.lock'), () => done.push('no folder'))
  withHarnessLock(undefined, () => done.push('no lock'))
  expect(done).toEqual(['no folder', 'no lock'])
})
