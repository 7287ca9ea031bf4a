import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { makeDurableFolder } from './durable-folder.ts'

const modeOf = (path: string) => statSync(path).mode & 0o7777

// test/faults/power-cut.test.ts shows on traces of real calls that the entry in the parent survives a power loss.
describe('a folder made durably', () => {
  test('has the requested mode, as have its new parents, and no mark is left', () => {
    using dir = tempDir()
    const made = makeDurableFolder(join(dir.path, 'a', 'b', 'c'))
    expect(made.isDirectory()).toBe(true)
    expect(['a', 'a/b', 'a/b/c'].map((name) => modeOf(join(dir.path, name)))).toEqual([0o700, 0o700, 0o700])
    makeDurableFolder(join(dir.path, 'open'), 0o755)
    expect(modeOf(join(dir.path, 'open'))).toBe(0o755 & ~process.umask())
  })

  test('is left unchanged if it exists', () => {
    using dir = tempDir()
    mkdirSync(join(dir.path, 'a'), { mode: 0o750 })
    makeDurableFolder(join(dir.path, 'a'))
    expect(modeOf(join(dir.path, 'a'))).toBe(0o750 & ~process.umask())
  })

  test('loses the mark of a process that was killed before it could sync the parent', () => {
    using dir = tempDir()
    const left = join(dir.path, 'left')
    mkdirSync(left, { mode: 0o1700 })
    expect(modeOf(left)).toBe(0o1700)
    expect(makeDurableFolder(left).mode & 0o7777).toBe(0o700)
    expect(modeOf(left)).toBe(0o700)
  })

  test('leaves its parent unchanged, marked or not', () => {
    using dir = tempDir()
    const above = join(dir.path, 'above')
    mkdirSync(above, { mode: 0o1700 })
    makeDurableFolder(join(above, 'a'))
    expect([modeOf(above), modeOf(join(above, 'a'))]).toEqual([0o1700, 0o700])
  })

  test('keeps a sticky bit on a folder that others can write to', () => {
    using dir = tempDir()
    const shared = join(dir.path, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    makeDurableFolder(shared)
    expect(modeOf(shared)).toBe(0o1777)
  })

  test('is not made through a link or over a file: the existing entry is returned', () => {
    using dir = tempDir()
    const target = join(dir.path, 'target')
    mkdirSync(target)
    chmodSync(target, 0o1700)
    symlinkSync(target, join(dir.path, 'link'))
    expect(makeDurableFolder(join(dir.path, 'link')).isSymbolicLink()).toBe(true)
    expect(modeOf(target)).toBe(0o1700)
    writeFileSync(join(dir.path, 'file'), '')
    expect(makeDurableFolder(join(dir.path, 'file')).isFile()).toBe(true)
  })

  test.skipIf(!existsSync('/proc/self'))('is an error where none can be made, not an endless attempt', () => {
    expect(() => makeDurableFolder('/proc/holdfast/spool')).toThrow('ENOENT')
  })

  test('is an error below a dangling link', () => {
    using dir = tempDir()
    symlinkSync(join(dir.path, 'missing'), join(dir.path, 'home'))
    expect(() => makeDurableFolder(join(dir.path, 'home', 'spool', 'dead'))).toThrow('ENOENT')
    expect(existsSync(join(dir.path, 'missing'))).toBe(false)
  })

  test.skipIf(process.getuid?.() === 0)('may lie in a parent that cannot be listed', () => {
    using dir = tempDir()
    const parent = join(dir.path, 'closed')
    mkdirSync(parent)
    chmodSync(parent, 0o300)
    makeDurableFolder(join(parent, 'a'))
    chmodSync(parent, 0o700)
    expect(modeOf(join(parent, 'a'))).toBe(0o700)
  })
})
