import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readHistory } from './history.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-history-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function commit(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content)
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false']
  execFileSync('git', ['add', '.'], { cwd: root })
  execFileSync('git', [...who, 'commit', '-q', '-m', 'more'], { cwd: root })
}

const body = (last: string) => `def opening(path):\n${'    pass\n'.repeat(8)}    ${last}\n`

/** Settings of a repository that change git's output or run programs. */
const SETTINGS = [
  ['diff.noprefix', 'true'],
  ['color.ui', 'always'],
  ['log.showSignature', 'true'],
  ['gpg.program', '/bin/false'],
  ['diff.external', '/bin/false'],
  ['diff.renames', 'copies'],
] as const

test('newest first, with the names of each hunk heading; other files are left out, settings have no effect', async () => {
  execFileSync('git', ['init', '-q'], { cwd: root })
  for (const [key, value] of SETTINGS) execFileSync('git', ['config', key, value], { cwd: root })
  commit({ 'a.py': body('one'), 'notes.md': 'x' })
  commit({ 'notes.md': 'y' })
  commit({ 'a.py': body('two'), 'ä b.py': 'x' })
  expect(await readHistory(root, ['*.py'])).toEqual([
    {
      files: [
        { path: 'a.py', touched: ['def', 'opening', 'path'] },
        { path: 'ä b.py', touched: [] },
      ],
    },
    { files: [{ path: 'a.py', touched: [] }] },
  ])
})

test('with a known history only newer commits are read, unless there is a merge', async () => {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const head = () => git('rev-parse', 'HEAD')
  const log = () => readHistory(root, ['*.py'])
  git('init', '-q', '-b', 'main')
  commit({ 'a.py': 'a' })
  const changes = [{ files: [{ path: 'kept', touched: [] }] }]
  const known = { head: head(), changes }
  commit({ 'b.py': 'b' })
  expect(await readHistory(root, ['*.py'], { head: known.head, known })).toBe(changes)
  const [newest, oldest] = (await log()) ?? []
  expect(await readHistory(root, ['*.py'], { head: head(), known })).toEqual([newest, ...changes])
  expect(await readHistory(root, ['*.py'], { head: head(), known: { head: 'f'.repeat(40), changes } })).toEqual([
    newest,
    oldest,
  ])
  git('checkout', '-q', '-b', 'side', known.head)
  commit({ 'c.py': 'c' })
  git('checkout', '-q', 'main')
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'merge', '-q', '--no-ff', '-m', 'merge', 'side')
  expect(await readHistory(root, ['*.py'], { head: head(), known })).toEqual(await log())
})

test('without commits or git the result is undefined', async () => {
  expect(await readHistory(root, ['*.py'])).toBeUndefined()
  execFileSync('git', ['init', '-q'], { cwd: root })
  expect(await readHistory(root, ['*.py'])).toBeUndefined()
})
