import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git, gitRepository, tempDir } from '../../test/support/temp-dir.ts'
import { systemClock } from './clock.ts'
import { createPlaces } from './places.ts'

const locate = (cwd: string) => createPlaces({ clock: systemClock }).locate(cwd)

describe('places', () => {
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
    const places = createPlaces({ clock: { ...systemClock, monotonicMs: () => 0 } })
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

  test('a branch that nobody touched is not read again', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    const places = createPlaces({ clock: { ...systemClock, monotonicMs: () => 0 } })
    const file = join(repo, '.git', 'HEAD')
    const then = new Date('2026-01-02T03:04:05.000Z')
    utimesSync(file, then, then)
    const first = await places.locate(repo)
    // Other bytes under the very same facts: whoever looks at the facts only does not see them.
    writeFileSync(file, readFileSync(file, 'utf8').replace('main', 'niam'))
    utimesSync(file, then, then)
    expect(await places.locate(repo)).toEqual(first)
  })

  test('packed refs tell the commit', async () => {
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

  test('a bare repository and the inside of a .git folder are placed', async () => {
    using dir = tempDir()
    const repo = gitRepository(join(dir.path, 'repo'))
    git(dir.path, 'clone', '-q', '--bare', repo, 'bare')
    const bare = join(dir.path, 'bare')
    expect(await locate(bare)).toMatchObject({ worktree: bare, projectNormalized: bare, branch: 'main' })
    expect(await locate(join(repo, '.git', 'refs'))).toMatchObject({ worktree: repo, branch: 'main' })
  })

  test('a folder that is gone belongs to the repository it was in, else to its own path', async () => {
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
  ])('%s is no repository', async (_what, spoil) => {
    using dir = tempDir()
    spoil(dir.path)
    expect(await locate(dir.path)).toMatchObject({ worktree: dir.path, projectNormalized: dir.path })
  })

  test('a HEAD that climbs out of the repository tells nothing', async () => {
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
