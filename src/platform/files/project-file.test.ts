import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  deleteProjectFile,
  listProjectFolder,
  readProjectFile,
  resolveInside,
  withProjectFolder,
  writeProjectFile,
} from './project-file.ts'

let base: string
let root: string
let outside: string

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'holdfast-project-file-'))
  root = join(base, 'project')
  outside = join(base, 'outside')
  mkdirSync(root)
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), 'secret')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const read = (path: string) => readProjectFile({ root, path }, 1_000)?.bytes.toString()

test('a file is written with its folders, read, listed and deleted', () => {
  writeProjectFile({ root, path: 'a/b/c.md' }, 'one')
  writeProjectFile({ root, path: 'a/b/c.md' }, 'two')
  expect(read('a/b/c.md')).toBe('two')
  expect(listProjectFolder({ root, path: 'a/b' })).toEqual(['c.md'])
  expect(deleteProjectFile({ root, path: 'a/b/c.md' })).toBe(true)
  expect(deleteProjectFile({ root, path: 'a/b/c.md' })).toBe(false)
  expect(read('a/b/c.md')).toBeUndefined()
  expect(read('no/such')).toBeUndefined()
  expect(listProjectFolder({ root, path: 'no' })).toEqual([])
})

test('an existing file keeps its mode', () => {
  writeFileSync(join(root, 'x'), '', { mode: 0o600 })
  writeProjectFile({ root, path: 'x' }, 'y')
  expect(statSync(join(root, 'x')).mode & 0o777).toBe(0o600)
})

test('a file that changed meanwhile is not overwritten', () => {
  writeProjectFile({ root, path: 'x' }, 'theirs')
  expect(() => writeProjectFile({ root, path: 'x' }, 'ours', { expected: { bytes: Buffer.from('old') } })).toThrow(
    'changed meanwhile',
  )
  expect(() => writeProjectFile({ root, path: 'x' }, 'ours', { expected: { bytes: undefined } })).toThrow(
    'changed meanwhile',
  )
  writeProjectFile({ root, path: 'x' }, 'ours', { expected: { bytes: Buffer.from('theirs') } })
  expect(read('x')).toBe('ours')
})

describe('refused, with nothing outside changed:', () => {
  test.each<[string, string, () => void]>([
    ['a folder that is a link', 'memory/x.md', () => symlinkSync(outside, join(root, 'memory'))],
    ['a link to a file', 'x.md', () => symlinkSync(join(outside, 'secret'), join(root, 'x.md'))],
    ['a link to nothing', 'x.md', () => symlinkSync(join(outside, 'new'), join(root, 'x.md'))],
    ['a hard link', 'x.md', () => linkSync(join(outside, 'secret'), join(root, 'x.md'))],
    ['a pipe', 'x.md', () => execFileSync('mkfifo', [join(root, 'x.md')])],
    ['a folder', 'x.md', () => mkdirSync(join(root, 'x.md'))],
    ['a file where a folder should be', 'x/y.md', () => writeFileSync(join(root, 'x'), '')],
  ])('%s', (_, path, plant) => {
    plant()
    expect(() => writeProjectFile({ root, path }, 'ours')).toThrow('does not touch it')
    expect(() => readProjectFile({ root, path }, 1_000)).toThrow('does not touch it')
    expect(() => deleteProjectFile({ root, path })).toThrow('does not touch it')
    expect(readdirSync(outside)).toEqual(['secret'])
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  })
})

test('a file that is too large is refused', () => {
  writeFileSync(join(root, 'x'), 'y'.repeat(1_001))
  expect(() => read('x')).toThrow('1001 bytes')
})

test('a link inside the project is followed on request, one out of it is refused', () => {
  writeProjectFile({ root, path: 'docs/list.md' }, '')
  symlinkSync('docs/list.md', join(root, 'LIST.md'))
  symlinkSync(join(outside, 'secret'), join(root, 'OUT.md'))
  symlinkSync(join(outside, 'nothing'), join(root, 'GONE.md'))
  expect(resolveInside({ root, path: 'LIST.md' }).path).toBe('docs/list.md')
  expect(resolveInside({ root, path: 'NEW.md' }).path).toBe('NEW.md')
  expect(() => resolveInside({ root, path: 'OUT.md' })).toThrow('points outside')
  expect(() => resolveInside({ root, path: 'GONE.md' })).toThrow('dangling link')
})

test('no path leads out of the project', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('..', '.', '/', '\\', 'a', '\0', '~', ' ', 'C:'), { maxLength: 8 }),
      (parts) => {
        try {
          writeProjectFile({ root, path: parts.join('') }, 'ours')
        } catch {
          // A refusal is one of the two valid outcomes.
        }
        expect(readdirSync(base).sort()).toEqual(['outside', 'project'])
        expect(readdirSync(outside)).toEqual(['secret'])
      },
    ),
    { numRuns: 200 },
  )
})

test.runIf(process.platform === 'linux')(
  'a folder swapped for a link just before the write is still the folder it was',
  () => {
    withProjectFolder({ root, path: 'memory/x.md' }, (path) => {
      renameSync(join(root, 'memory'), join(root, 'aside'))
      symlinkSync(outside, join(root, 'memory'))
      writeFileSync(path, 'ours')
    })
    expect(readdirSync(outside)).toEqual(['secret'])
    expect(readdirSync(join(root, 'aside'))).toEqual(['x.md'])
  },
)

test.runIf(process.platform === 'linux')(
  'a folder swapped for a link again and again while we write leads nowhere',
  async () => {
    const swap = `
    const { mkdirSync, renameSync, symlinkSync, unlinkSync } = require('node:fs')
    const { folder, outside, swaps } = require('node:worker_threads').workerData
    const attempt = (run) => { try { run() } catch {} }
    for (;;) {
      attempt(() => renameSync(folder, folder + '-aside-' + swaps[0]))
      attempt(() => { symlinkSync(outside, folder); Atomics.add(swaps, 0, 1) })
      attempt(() => unlinkSync(folder))
      attempt(() => mkdirSync(folder))
    }`
    const swaps = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(swap, { eval: true, workerData: { folder: join(root, 'memory'), outside, swaps } })
    await new Promise((resolve) => worker.once('online', resolve))
    let written = 0
    for (let n = 0; n < 300; n += 1) {
      try {
        writeProjectFile({ root, path: 'memory/x.md' }, 'ours')
        written += 1
      } catch {
        // The folder was a link or it vanished: both are refusals.
      }
    }
    await worker.terminate()
    expect({ hasSwapped: Atomics.load(swaps, 0) > 0, hasWritten: written > 0 }).toEqual({
      hasSwapped: true,
      hasWritten: true,
    })
    expect(readdirSync(outside)).toEqual(['secret'])
  },
)

test('nothing is written in the root of the file system, nor in a home folder that is not a repository', () => {
  vi.stubEnv('HOME', root)
  vi.stubEnv('USERPROFILE', root)
  try {
    const write = (folder: string) => () => writeProjectFile({ root: folder, path: 'memory/a.md' }, 'a')
    expect(write('/')).toThrow(expect.objectContaining({ code: 'invalid-input' }))
    expect(write(root)).toThrow(`${root} is your home folder, not a project, so no file was written there.`)
    symlinkSync(root, join(base, 'linked'))
    expect(write(join(base, 'linked'))).toThrow('is your home folder')
    expect(readdirSync(root)).toEqual([])
    mkdirSync(join(root, '.git'))
    write(root)()
    expect(readdirSync(root)).toEqual(['.git', 'memory'])
  } finally {
    vi.unstubAllEnvs()
  }
})
