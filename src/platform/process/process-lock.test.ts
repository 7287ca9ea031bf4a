import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { takeProcessLock } from './process-lock.ts'

const alive = { isAlive: () => true, startedAt: () => '1' }
const dead = { isAlive: () => false, startedAt: () => '1' }

test('one process holds it, another gets it afterwards, and no file is left', () => {
  using dir = tempDir()
  const path = join(dir.path, 'lock')
  {
    using held = takeProcessLock(path, { pid: 1, processes: alive })
    expect([held === undefined, takeProcessLock(path, { pid: 2, processes: alive })]).toEqual([false, undefined])
  }
  {
    using next = takeProcessLock(path, { pid: 2, processes: alive })
    expect(next).toBeDefined()
  }
  expect(readdirSync(dir.path)).toEqual([])
})

test.each(['', '{"pid":', 'null', '{"pid":1,"startedAt":"0"}'])(
  'the lock of a dead process (%j) is taken over',
  (text) => {
    using dir = tempDir()
    const path = join(dir.path, 'lock')
    writeFileSync(path, text)
    {
      using held = takeProcessLock(path, { pid: 2, processes: dead })
      expect(held).toBeDefined()
      expect(readdirSync(dir.path)).toEqual(['lock'])
    }
    expect(readdirSync(dir.path)).toEqual([])
  },
)

test('a process that was considered dead does not remove its successor’s lock', () => {
  using dir = tempDir()
  const path = join(dir.path, 'lock')
  const first = takeProcessLock(path, { pid: 1, processes: alive })
  const second = takeProcessLock(path, { pid: 2, processes: dead })
  first?.[Symbol.dispose]()
  expect([first === undefined, second === undefined, readdirSync(dir.path)]).toEqual([false, false, ['lock']])
})
