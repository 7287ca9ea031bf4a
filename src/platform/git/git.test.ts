import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git, gitRepository, tempDir } from '../../../test/support/temp-dir.ts'
import { createGit, parseStatus } from './git.ts'

describe('git', () => {
  test('a clean checkout has its branch, its commit and nothing dirty', async () => {
    using dir = tempDir()
    gitRepository(dir.path)
    expect(await createGit().state(dir.path)).toEqual({
      branch: 'main',
      head: git(dir.path, 'rev-parse', 'HEAD'),
      dirty: { staged: 0, unstaged: 0, untracked: 0, paths: [] },
    })
  })

  test('staged, changed, renamed, untracked and oddly named files are counted and named', async () => {
    using dir = tempDir()
    gitRepository(dir.path)
    dir.write('old name.txt', 'a longer text that git sees again\n')
    git(dir.path, 'add', '.')
    git(dir.path, 'commit', '-q', '-m', 'second')
    git(dir.path, 'mv', 'old name.txt', 'new name.txt')
    dir.write('README.md', 'changed\n')
    dir.write('tab\there "quoted" ü.txt', 'x')
    expect((await createGit().state(dir.path))?.dirty).toEqual({
      staged: 1,
      unstaged: 1,
      untracked: 1,
      paths: ['README.md', 'new name.txt', 'tab\there "quoted" ü.txt'],
    })
  })

  test('a conflict, a detached HEAD and an empty repository read as such', () => {
    const hash = 'a'.repeat(40)
    const output = [
      `# branch.oid ${hash}`,
      '# branch.head (detached)',
      `u UU N... 100644 100644 100644 100644 ${hash} ${hash} ${hash} src/a b.ts`,
      '',
    ]
    expect(parseStatus(output.join('\0'))).toEqual({
      head: hash,
      dirty: { staged: 0, unstaged: 1, untracked: 0, paths: ['src/a b.ts'] },
      unmerged: ['src/a b.ts'],
    })
    expect(parseStatus('# branch.oid (initial)\0# branch.head main\0').head).toBeUndefined()
  })

  test('at most twenty paths are named, and all are counted', async () => {
    using dir = tempDir()
    gitRepository(dir.path)
    for (let n = 0; n < 30; n += 1) dir.write(`file-${n}`, 'x')
    const dirty = (await createGit().state(dir.path))?.dirty
    expect([dirty?.untracked, dirty?.paths.length]).toEqual([30, 20])
  })

  test('outside a repository, in a missing folder, and without git, the result is unknown', async () => {
    using dir = tempDir()
    expect(await createGit().state(dir.path)).toBeUndefined()
    expect(await createGit().state(join(dir.path, 'gone'))).toBeUndefined()
    expect(await createGit().state('/nul\0byte')).toBeUndefined()
    expect(await createGit().state(`/${'x'.repeat(300)}`)).toBeUndefined()
    expect(await createGit().state(join(dir.write('file', ''), 'below'))).toBeUndefined()
    expect(await createGit({ program: join(dir.path, 'no-git') }).state(dir.path)).toBeUndefined()
    expect(await createGit().hasCommit(dir.path, 'a'.repeat(40))).toBeUndefined()
  })

  test('a commit is known, or not, or not a commit at all', async () => {
    using dir = tempDir()
    gitRepository(dir.path)
    const head = git(dir.path, 'rev-parse', 'HEAD')
    const port = createGit()
    expect(await port.hasCommit(dir.path, head)).toBe(true)
    expect(await port.hasCommit(dir.path, head.slice(0, 10))).toBe(true)
    expect(await port.hasCommit(dir.path, 'a'.repeat(40))).toBe(false)
    expect(await port.hasCommit(dir.path, '--help')).toBe(false)
  })

  test('a commit is part of what is checked out, was dropped, or is unknown', async () => {
    using dir = tempDir()
    gitRepository(dir.path)
    const kept = git(dir.path, 'rev-parse', 'HEAD')
    git(dir.path, '-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-q', '--allow-empty', '-m', 'x')
    const dropped = git(dir.path, 'rev-parse', '--short', 'HEAD')
    git(dir.path, 'reset', '-q', '--hard', kept)
    const port = createGit()
    expect(await port.isInHistory(dir.path, kept)).toBe(true)
    expect(await port.isInHistory(dir.path, dropped)).toBe(false)
    expect(await port.isInHistory(dir.path, 'a'.repeat(40))).toBeUndefined()
    expect(await port.isInHistory(dir.path, '--help')).toBeUndefined()
  })

  test('files that were renamed since a commit are known by their old names', async () => {
    using dir = tempDir()
    gitRepository(dir.path)
    const commit = (message: string) =>
      git(dir.path, '-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-qm', message)
    dir.write('one a.txt', 'one\n'.repeat(20))
    dir.write('two.txt', 'two\n'.repeat(20))
    git(dir.path, 'add', '.')
    commit('two files')
    const since = git(dir.path, 'rev-parse', 'HEAD')
    git(dir.path, 'mv', 'one a.txt', 'one b.txt')
    commit('renamed')
    git(dir.path, 'mv', 'two.txt', 'three.txt')
    const port = createGit()
    expect(await port.renames(dir.path, since)).toEqual(
      new Map([
        ['one a.txt', 'one b.txt'],
        ['two.txt', 'three.txt'],
      ]),
    )
    expect(await port.renames(dir.path, 'a'.repeat(40))).toBeUndefined()
    expect(await port.renames(dir.path, '--help')).toBeUndefined()
  })

  test('a git that hangs is killed, and one that prints too much is cut', async () => {
    using dir = tempDir()
    gitRepository(dir.path)
    const hanging = dir.write('hang', '#!/bin/sh\nexec sleep 600\n')
    const flood = `case " $* " in *' config '*) exit 0 ;; esac\nprintf "# branch.head main\\0"\nexec yes\n`
    const flooding = dir.write('flood', `#!/bin/sh\n${flood}`)
    chmodSync(hanging, 0o755)
    chmodSync(flooding, 0o755)
    expect(await createGit({ program: hanging, timeoutMs: 50 }).state(dir.path)).toBeUndefined()
    expect((await createGit({ program: flooding, maxOutputBytes: 10_000 }).state(dir.path))?.branch).toBe('main')
  })

  test('a program that the repository configures does not run; plain git would run it', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    const mark = join(dir.path, 'ran')
    mkdirSync(join(dir.path, 'bin'))
    const monitor = join(dir.path, 'bin', 'monitor')
    writeFileSync(monitor, `#!/bin/sh\ntouch '${mark}'\n`)
    chmodSync(monitor, 0o755)
    git(repo, 'config', 'core.fsmonitor', monitor)
    await createGit().state(repo)
    expect(existsSync(mark)).toBe(false)
    git(repo, 'status')
    expect(existsSync(mark)).toBe(true)
  })
})
