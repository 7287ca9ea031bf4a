import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { git, gitRepository, tempDir } from '../../../test/support/temp-dir.ts'
import { runGitCommand } from './git-command.ts'

const LIMITS = { timeoutMs: 60_000, maxOutputBytes: 1_000_000 }

function isRunning(pid: number): boolean {
  try {
    // A zombie in a container without an init has ended too.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('git', () => {
  test('only listed commands are run, so that no alias or extension can be', async () => {
    using dir = tempDir()
    const worktree = gitRepository(dir.path)
    git(worktree, 'config', 'alias.hello', '!echo hello')
    for (const command of ['hello', 'push', 'fetch', '-c', ''])
      expect(await runGitCommand({ ...LIMITS, worktree, args: [command] })).toMatchObject({ exitStatus: -1 })
  })

  test('a name in the configuration that cannot be passed on fails the call', async () => {
    using dir = tempDir()
    const worktree = gitRepository(dir.path)
    appendFileSync(join(worktree, '.git', 'config'), '[filter "a=b"]\n\tclean = touch ran; cat\n')
    const run = await runGitCommand({ ...LIMITS, worktree, args: ['status'] })
    expect(run).toMatchObject({ exitStatus: -1, stderr: expect.stringContaining('a=b') })
  })

  test('a filter with a name that is not UTF-8 fails the call, because it cannot be disabled', async () => {
    using dir = tempDir()
    const worktree = gitRepository(join(dir.path, 'repo'))
    const mark = join(dir.path, 'ran')
    const section = `[filter "x\u00ff"]\n\tclean = "touch '${mark}'; cat"\n`
    appendFileSync(join(worktree, '.git', 'config'), Buffer.from(section, 'latin1'))
    writeFileSync(join(worktree, '.gitattributes'), Buffer.from('* filter=x\u00ff\n', 'latin1'))
    dir.write('repo/README.md', 'HELLO\n')
    const run = await runGitCommand({ ...LIMITS, worktree, args: ['status', '--porcelain'] })
    expect([run.exitStatus, existsSync(mark)]).toEqual([-1, false])
    git(worktree, 'status')
    expect(existsSync(mark)).toBe(true)
  })

  test.each([
    '[filter "x"]\n\tclean = COMMAND',
    '[FILTER "x"]\n\tCLEAN = COMMAND',
    '[filter.x]\n\tclean = COMMAND',
    '[filter "x"] clean = COMMAND',
    '[core]\n\tx = y\n[ \t\nfilter "x"]\n\tclean = COMMAND',
    '[include]\n\tpath = ../included',
    '[InClude] path = ../included',
    '[includeIf "onbranch:main"]\n\tpath = ../included',
    '[includeif "gitdir:**"]\n\tpath = ../included',
  ])('a filter written as %j does not run where plain git runs it', async (section) => {
    using dir = tempDir()
    const worktree = gitRepository(join(dir.path, 'repo'))
    const mark = join(dir.path, 'ran')
    const command = `"touch '${mark}'; cat"`
    dir.write('repo/.gitattributes', '* filter=x\n')
    dir.write('repo/included', `[filter "x"]\n\tclean = ${command}\n`)
    appendFileSync(join(worktree, '.git', 'config'), `${section.replace('COMMAND', command)}\n`)
    dir.write('repo/README.md', 'HELLO\n')
    const { stdout } = await runGitCommand({ ...LIMITS, worktree, args: ['status', '--porcelain'] })
    expect(existsSync(mark)).toBe(false)
    try {
      git(worktree, 'status')
    } catch {
      // This git rejects the configuration: nothing runs, and the result is empty.
      expect(stdout.toString()).toBe('')
      return
    }
    expect(stdout.toString()).toContain('M README.md')
    expect(existsSync(mark)).toBe(true)
  })

  test('where core.worktree points elsewhere, the files are still those of the checkout', async () => {
    using dir = tempDir()
    const worktree = gitRepository(join(dir.path, 'repo'))
    mkdirSync(join(dir.path, 'elsewhere'))
    dir.write('elsewhere/private.txt', 'x')
    git(worktree, 'config', 'core.worktree', join(dir.path, 'elsewhere'))
    const { stdout } = await runGitCommand({ ...LIMITS, worktree, args: ['status', '--porcelain'] })
    expect(stdout.toString()).toBe('')
  })

  test.skipIf(process.platform === 'win32').each([
    ['.gitignore', ['status', '--porcelain']],
    ['.gitattributes', ['diff', 'HEAD']],
    ['nested/.git/HEAD', ['ls-files', '--others', '--exclude-standard']],
  ] as const)('a FIFO at src/%s is found once git waits for it, and git is not asked again', async (name, args) => {
    using dir = tempDir()
    const worktree = gitRepository(join(dir.path, 'repo'))
    dir.write('repo/src/a.txt', 'a\n')
    git(worktree, 'add', '.')
    git(worktree, 'commit', '-qm', 'a')
    dir.write('repo/src/a.txt', 'b\n')
    const starts = join(dir.path, 'starts')
    const program = dir.write('counting-git', `#!/bin/sh\necho "$*" >>'${starts}'\nexec git "$@"\n`)
    chmodSync(program, 0o755)
    const ask = () => runGitCommand({ ...LIMITS, timeoutMs: 30_000, worktree, args, program })
    const fifo = join(worktree, 'src', name)
    mkdirSync(join(fifo, '..'), { recursive: true })
    execFileSync('mkfifo', [fifo])
    expect(await ask()).toMatchObject({ exitStatus: -1, stderr: expect.stringContaining(fifo) })
    const before = readFileSync(starts, 'utf8')
    expect(await ask()).toMatchObject({ exitStatus: -1, stderr: expect.stringContaining(fifo) })
    expect(readFileSync(starts, 'utf8')).toBe(before)
    rmSync(fifo)
    expect(await ask()).toMatchObject({ exitStatus: 0 })
  })

  test.skipIf(process.platform === 'win32')('a FIFO or a device among the files that git opens is named', async () => {
    using dir = tempDir()
    const worktree = gitRepository(dir.path)
    for (const name of ['.git/HEAD', '.git/config', '.git/index', '.git/refs/heads/main', '.gitattributes']) {
      const path = join(worktree, name)
      const before = existsSync(path) ? readFileSync(path) : undefined
      rmSync(path, { force: true })
      execFileSync('mkfifo', [path])
      const run = await runGitCommand({ ...LIMITS, worktree, args: ['status'] })
      expect(run).toMatchObject({ exitStatus: -1, stderr: expect.stringContaining(`${path} is not a regular file`) })
      rmSync(path)
      if (before !== undefined) appendFileSync(path, before)
    }
    expect(await runGitCommand({ ...LIMITS, worktree, args: ['status'] })).toMatchObject({ exitStatus: 0 })
  })

  test.skipIf(process.platform !== 'linux')('at its deadline everything that it started ends with it', async () => {
    using dir = tempDir()
    const worktree = gitRepository(join(dir.path, 'repo'))
    const pidFile = join(dir.path, 'pid')
    const program = dir.write('hang', `#!/bin/sh\nsleep 600 &\necho $! >'${pidFile}'\nwait\n`)
    chmodSync(program, 0o755)
    const run = await runGitCommand({ ...LIMITS, timeoutMs: 3_000, worktree, args: ['status'], program })
    expect(run).toMatchObject({ exitStatus: -1, stderr: expect.stringContaining('timed out') })
    const pid = Number(readFileSync(pidFile, 'utf8'))
    await vi.waitUntil(() => !isRunning(pid), { timeout: 30_000 })
  })
})
