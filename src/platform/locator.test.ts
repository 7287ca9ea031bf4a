import { execFileSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git, gitRepository, tempDir } from '../../test/support/temp-dir.ts'
import { systemClock } from './base/clock.ts'
import { createLocator } from './locator.ts'

const locate = (cwd: string) => createLocator({ clock: systemClock }).locate(cwd)

describe('locator', () => {
  test('a repository is its top level, on its branch, at its commit, from any folder inside', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    mkdirSync(join(repo, 'src', 'deep'), { recursive: true })
    const place = await locate(join(repo, 'src', 'deep'))
    expect(place).toEqual({
      projectId: expect.stringMatching(/^[0-9a-f]{32}$/),
      project: repo,
      projectNormalized: repo,
      worktree: repo,
      branch: 'main',
      head: git(repo, 'rev-parse', 'HEAD'),
    })
    expect(await locate(repo)).toEqual(place)
  })

  test.skipIf(process.platform === 'win32')('a pipe by the name of a repository’s file holds nobody up', async () => {
    using dir = tempDir()
    const cwd = join(dir.path, 'below')
    mkdirSync(cwd)
    for (const name of ['HEAD', '.git']) execFileSync('mkfifo', [join(dir.path, name)])
    expect(await locate(cwd)).toMatchObject({ worktree: cwd, projectNormalized: cwd })
  })

  test('two worktrees are one project with two checkouts', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    const other = join(dir.path, 'other')
    git(repo, 'worktree', 'add', '-q', '-b', 'feature/x', other)
    const [main, linked] = [await locate(repo), await locate(other)]
    expect(linked).toEqual({ ...main, project: other, worktree: other, branch: 'feature/x' })
  })

  test('a symlinked project has one identity, and keeps the spelling for display', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    mkdirSync(join(repo, 'src'))
    const link = join(dir.path, 'link')
    symlinkSync(repo, link)
    expect(await locate(join(link, 'src'))).toEqual({ ...(await locate(repo)), project: link })
  })

  test('a submodule is a project of its own', async () => {
    using dir = tempDir()
    const library = gitRepository(join(dir.path, 'library'))
    const repo = gitRepository(join(dir.path, 'repo'))
    git(repo, 'submodule', '--quiet', 'add', library, 'vendor/library')
    const inside = await locate(join(repo, 'vendor', 'library'))
    expect(inside.projectId).not.toBe((await locate(repo)).projectId)
    expect(inside).toMatchObject({
      worktree: join(repo, 'vendor', 'library'),
      projectNormalized: join(repo, 'vendor', 'library'),
      branch: 'main',
      head: git(library, 'rev-parse', 'HEAD'),
    })
  })

  test('a branch switch, a commit and a detached HEAD are seen at once, without a new look at the folder', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    const places = createLocator({ clock: { ...systemClock, monotonicMs: () => 0 } })
    const first = await places.locate(repo)
    git(repo, 'checkout', '-q', '-b', 'next')
    expect(await places.locate(repo)).toEqual({ ...first, branch: 'next' })
    git(repo, 'commit', '-q', '--allow-empty', '-m', 'second')
    const head = git(repo, 'rev-parse', 'HEAD')
    expect(await places.locate(repo)).toEqual({ ...first, branch: 'next', head })
    git(repo, 'checkout', '-q', '--detach')
    const { branch: _branch, ...detached } = first
    expect(await places.locate(repo)).toEqual({ ...detached, head })
    git(repo, 'checkout', '-q', 'next')
    git(repo, 'pack-refs', '--all')
    expect(await places.locate(repo)).toEqual({ ...first, branch: 'next', head })
    git(repo, 'reset', '-q', '--hard', 'HEAD~1')
    expect(await places.locate(repo)).toEqual({ ...first, branch: 'next' })
  })

  test('an unchanged branch is not read again', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    const places = createLocator({ clock: { ...systemClock, monotonicMs: () => 0 } })
    const file = join(repo, '.git', 'HEAD')
    const then = new Date('2026-01-02T03:04:05.000Z')
    utimesSync(file, then, then)
    const first = await places.locate(repo)
    // Different bytes with the same file facts: not visible to a check of the facts alone.
    writeFileSync(file, readFileSync(file, 'utf8').replace('main', 'niam'))
    utimesSync(file, then, then)
    expect(await places.locate(repo)).toEqual(first)
  })

  test('the commit is read from packed refs', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    const head = git(repo, 'rev-parse', 'HEAD')
    git(repo, 'branch', 'main-2')
    git(repo, 'pack-refs', '--all')
    expect(await locate(repo)).toMatchObject({ branch: 'main', head })
  })

  test('before the first commit there is a branch and no head', async () => {
    using dir = tempDir()
    git(dir.path, 'init', '-q')
    const place = await locate(dir.path)
    expect(place.branch).toBe('main')
    expect('head' in place).toBe(false)
  })

  test('a slow or huge configuration or HEAD costs nothing', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    const config = join(repo, '.git', 'config')
    writeFileSync(config, `${readFileSync(config, 'utf8')}[remote "origin"]\n\turl = a${' '.repeat(120_000)}b\n`)
    expect(await locate(repo)).not.toHaveProperty('remote')
    writeFileSync(join(repo, '.git', 'HEAD'), `ref: refs/heads/${'x'.repeat(3_000_000)}\n`)
    expect(await locate(repo)).not.toHaveProperty('branch')
  })

  test('a remote names the project and does not change which one it is', async () => {
    using dir = tempDir()
    const [one, two] = [gitRepository(join(dir.path, 'one')), gitRepository(join(dir.path, 'two'))]
    const before = await locate(one)
    git(one, 'remote', 'add', 'origin', 'git@Example.com:team/app.git')
    const asSsh = await locate(one)
    expect(asSsh).toEqual({ ...before, remote: 'example.com/team/app' })
    git(one, 'remote', 'set-url', 'origin', 'https://user:secret@example.com/team/app')
    expect(await locate(one)).toEqual(asSsh)
    git(two, 'remote', 'add', 'origin', 'git@Example.com:team/app.git')
    expect((await locate(two)).projectId).not.toBe(asSsh.projectId)
  })

  test('without git the folder itself is the project', async () => {
    using dir = tempDir()
    const place = await locate(dir.path)
    expect(place).toEqual({
      projectId: expect.stringMatching(/^[0-9a-f]{32}$/),
      project: dir.path,
      projectNormalized: dir.path,
      worktree: dir.path,
    })
  })

  test('a bare repository is a folder like any other, and the inside of a .git folder belongs to its checkout', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    git(dir.path, 'clone', '-q', '--bare', repo, 'bare')
    const bare = join(dir.path, 'bare')
    const place = await locate(bare)
    expect([place.worktree, place.projectNormalized, place.branch]).toEqual([bare, bare, undefined])
    cpSync(bare, join(repo, 'vendor', 'lib'), { recursive: true })
    expect(await locate(join(repo, 'vendor', 'lib', 'refs'))).toMatchObject({ worktree: repo, branch: 'main' })
    expect(await locate(join(repo, '.git', 'refs'))).toMatchObject({ worktree: repo, branch: 'main' })
  })

  test('a missing folder belongs to the repository it was in, else to its own path', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    expect(await locate(join(repo, 'gone', 'deeper'))).toMatchObject({ worktree: repo })
    const lost = join(dir.path, 'lost', 'project')
    mkdirSync(lost, { recursive: true })
    const alive = await locate(lost)
    rmSync(join(dir.path, 'lost'), { recursive: true })
    expect(await locate(lost)).toEqual(alive)
  })

  test.each([
    ['an empty .git folder', (top: string) => mkdirSync(join(top, '.git'))],
    ['a .git file that names nothing', (top: string) => writeFileSync(join(top, '.git'), 'gitdir: /nowhere/at/all\n')],
    ['a .git file of garbage', (top: string) => writeFileSync(join(top, '.git'), '\0\0\0')],
  ])('%s is not a repository', async (_what, spoil) => {
    using dir = tempDir()
    spoil(dir.path)
    expect(await locate(dir.path)).toMatchObject({ worktree: dir.path, projectNormalized: dir.path })
  })

  const pointAt = (evil: string, gitDir: string) => writeFileSync(join(evil, '.git'), `gitdir: ${gitDir}\n`)
  const withCommonDir = (gitDir: string, commonDir: string) => {
    mkdirSync(gitDir)
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(gitDir, 'commondir'), `${commonDir}\n`)
  }

  test.each<[string, (evil: string) => void]>([
    ['a .git file that names its git directory', (evil) => pointAt(evil, '../secret/.git')],
    ['a .git file that names one of its worktrees', (evil) => pointAt(evil, '../secret/.git/worktrees/linked')],
    ['a .git file that names one of its submodules', (evil) => pointAt(evil, '../secret/.git/modules/vendor')],
    ['a .git folder with a commondir', (evil) => withCommonDir(join(evil, '.git'), '../../secret/.git')],
    [
      'a git directory with a commondir and a link back',
      (evil) => {
        withCommonDir(join(evil, 'fake'), '../../secret/.git')
        writeFileSync(join(evil, 'fake', 'gitdir'), `${join(evil, '.git')}\n`)
        pointAt(evil, 'fake')
      },
    ],
    ['a symlink to its .git folder', (evil) => symlinkSync('../secret/.git', join(evil, '.git'))],
    ['a symlink to the .git file of a worktree', (evil) => symlinkSync('../linked/.git', join(evil, '.git'))],
    ['a .git file that names its separate directory', (evil) => pointAt(evil, '../apart.git')],
    ['a symlink to its separate directory', (evil) => symlinkSync('../apart.git', join(evil, '.git'))],
  ])('%s does not make a folder another repository', async (_how, forge) => {
    using dir = tempDir()
    const library = gitRepository(join(dir.path, 'library'))
    const secret = gitRepository(join(dir.path, 'secret'))
    const evil = join(dir.path, 'evil')
    const places = createLocator({ clock: systemClock })
    git(secret, 'worktree', 'add', '-q', '-b', 'linked', join(dir.path, 'linked'))
    git(secret, 'submodule', '--quiet', 'add', library, 'vendor')
    git(dir.path, 'clone', '-q', '--separate-git-dir', join(dir.path, 'apart.git'), library, 'separate')
    const others = ['secret', 'linked', 'secret/vendor', 'separate'].map((name) => join(dir.path, name))
    const known = await Promise.all(others.map((path) => places.survey(path)))
    mkdirSync(evil)
    forge(evil)
    const { location: place, repository } = await places.survey(evil)
    expect(place).toMatchObject({ worktree: evil, projectNormalized: evil })
    expect(repository.location).toBe(evil)
    for (const other of known) {
      expect(place.projectId).not.toBe(other.location.projectId)
      if (repository.stamp !== undefined) expect(repository.stamp).not.toBe(other.repository.stamp)
    }
  })

  test('a clone with a separate git directory is a project of its own, on its branch', async () => {
    using dir = tempDir()
    const library = gitRepository(join(dir.path, 'library'))
    git(dir.path, 'clone', '-q', '--separate-git-dir', join(dir.path, 'apart.git'), library, 'separate')
    const separate = join(dir.path, 'separate')
    mkdirSync(join(separate, 'src'))
    const place = await locate(join(separate, 'src'))
    expect(place).toMatchObject({ worktree: separate, projectNormalized: separate, branch: 'main' })
    expect(place).toEqual(await locate(separate))
  })

  test('a worktree that was moved and repaired is still one of its repository', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    git(repo, 'worktree', 'add', '-q', '-b', 'linked', join(dir.path, 'linked'))
    const moved = join(dir.path, 'moved')
    renameSync(join(dir.path, 'linked'), moved)
    git(repo, 'worktree', 'repair', moved)
    expect(await locate(moved)).toEqual({ ...(await locate(repo)), project: moved, worktree: moved, branch: 'linked' })
  })

  test.skipIf(process.getuid?.() !== 0)('a .git that another user put above is ignored', async () => {
    using dir = tempDir()
    const shared = gitRepository(join(dir.path, 'shared'))
    const own = join(shared, 'own')
    mkdirSync(own)
    expect(await locate(own)).toMatchObject({ worktree: shared })
    for (const path of [join(shared, '.git'), shared]) chownSync(path, 12_345, 12_345)
    expect(await locate(own)).toMatchObject({ worktree: own, projectNormalized: own })
    // A tree that belongs to that user entirely, as when root works in a project mounted into a container.
    chownSync(own, 12_345, 12_345)
    expect(await locate(own)).toMatchObject({ worktree: shared })
  })

  test('a HEAD that points outside the repository is ignored', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    writeFileSync(join(dir.path, 'outside'), `${'a'.repeat(40)}\n`)
    writeFileSync(join(repo, '.git', 'HEAD'), 'ref: refs/heads/../../../../outside\n')
    const place = await locate(repo)
    expect([place.branch, place.head]).toEqual([undefined, undefined])
  })

  test.each(['', 'relative/path', '/', '/nul\0byte', 'x'.repeat(10_000)])('never throws for %j', async (cwd) => {
    expect((await locate(cwd)).projectId).toMatch(/^[0-9a-f]{32}$/)
  })
})
