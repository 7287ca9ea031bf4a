import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFileShown } from './sample-safety.ts'

let root: string
let worktree: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-shown-'))
  worktree = join(root, 'shop')
  mkdirSync(join(worktree, 'src'), { recursive: true })
  writeFileSync(join(worktree, 'src', 'a.ts'), 'export const a = 1\n')
  writeFileSync(join(worktree, 'long.md'), 'ü'.repeat(9_000))
  writeFileSync(join(worktree, 'huge.log'), Buffer.alloc(1_000_001, 'x'))
  writeFileSync(join(root, 'outside.txt'), 'not yours')
  symlinkSync(join(root, 'outside.txt'), join(worktree, 'link.txt'))
  execFileSync('mkfifo', [join(worktree, 'pipe')])
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const shown = (path: string, cwd?: string) => readFileShown({ path, cwd, worktree })

test('a file of the worktree is read from its start, by absolute path or relative to the agent', () => {
  expect(shown(join(worktree, 'src/a.ts'))).toBe('export const a = 1\n')
  expect(shown('a.ts', join(worktree, 'src'))).toBe('export const a = 1\n')
  expect(shown('long.md', worktree)).toBe('ü'.repeat(8_000))
})

test.each(['gone.ts', 'src', 'link.txt', 'pipe', 'huge.log', '../outside.txt', '.', ''])(
  '%j is not looked at',
  (path) => {
    expect(shown(path, worktree)).toBeUndefined()
    expect(shown(join(worktree, path))).toBeUndefined()
  },
)
