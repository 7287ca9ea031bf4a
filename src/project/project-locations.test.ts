import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CADENCE, minutesLater } from '../../test/contracts/store-examples.ts'
import { anEvent } from '../../test/support/events.ts'
import { aRepository, createSetup, clone, onMachine, sha256, withoutStamps } from '../../test/support/identity-setup.ts'
import { git } from '../../test/support/temp-dir.ts'
import { readRootCommit } from '../platform/git/git-queries.ts'
import { MemoryId, ProjectId, SessionKey } from '../kernel/id.ts'
import type { Location } from '../kernel/location.ts'
import type { Store } from '../kernel/ports/ports.ts'

describe('another repository at the same path', () => {
  test('is another project, at once and after a restart, and the first one is itself again when it returns', async () => {
    await using scene = await createSetup()
    const [one, two] = ['one', 'two'].map((name) => aRepository(join(scene.dir, name), name))
    const app = join(scene.dir, 'app')
    const daemon = scene.daemon()
    clone(one ?? '', app, 'git@host:team/one.git')
    const first = (await daemon.locate(app)).projectId
    rmSync(app, { recursive: true })
    clone(two ?? '', app, 'git@host:team/two.git')
    const second = (await daemon.locate(app)).projectId
    expect(second).not.toBe(first)
    expect(await scene.idOf(app)).toBe(second)
    rmSync(app, { recursive: true })
    clone(one ?? '', app, 'https://user:secret@host/team/one')
    expect((await daemon.locate(app)).projectId).toBe(first)
    expect(await scene.idOf(app)).toBe(first)
  })

  test('is another project without any remote, and before its first commit', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'one')
    const daemon = scene.daemon()
    const ids = [(await daemon.locate(app)).projectId]
    rmSync(app, { recursive: true })
    mkdirSync(app)
    git(app, 'init', '-q')
    ids.push((await daemon.locate(app)).projectId)
    rmSync(app, { recursive: true })
    mkdirSync(app)
    git(app, 'init', '-q')
    ids.push((await daemon.locate(app)).projectId)
    rmSync(app, { recursive: true })
    aRepository(app, 'two')
    ids.push((await daemon.locate(app)).projectId)
    expect(new Set(ids).size).toBe(4)
    expect(await scene.idOf(app)).toBe(ids.at(-1))
  })

  test('a fork is another project though all its commits are known', async () => {
    await using scene = await createSetup()
    const one = aRepository(join(scene.dir, 'one'), 'one')
    const app = join(scene.dir, 'app')
    clone(one, app, 'git@host:team/one.git')
    const first = await scene.idOf(app)
    rmSync(app, { recursive: true })
    clone(one, app, 'git@host:me/one.git')
    expect(await scene.idOf(app)).not.toBe(first)
  })

  /** As a stranger can make it who knows nothing but an address: two files, and no object. */
  function forge(app: string, config: string, head = 'ref: refs/heads/main'): void {
    for (const name of ['objects', 'refs']) mkdirSync(join(app, '.git', name), { recursive: true })
    writeFileSync(join(app, '.git', 'HEAD'), `${head}\n`)
    writeFileSync(join(app, '.git', 'config'), `[core]\n\trepositoryformatversion = 0\n${config}`)
  }

  test.each([
    ['as its only remote', '[remote "origin"]\n\turl = git@host:team/one.git\n'],
    [
      'as a second remote',
      '[remote "origin"]\n\turl = git@host:me/evil.git\n[remote "x"]\n\turl = git@host:team/one.git\n',
    ],
  ])('is another project though its configuration names the known address %s', async (_how, config) => {
    await using scene = await createSetup()
    const one = aRepository(join(scene.dir, 'one'), 'one')
    const app = join(scene.dir, 'app')
    clone(one, app, 'git@host:team/one.git')
    const head = git(app, 'rev-parse', 'HEAD')
    const first = await scene.idOf(app, { rootCommit: readRootCommit })
    await expect.poll(async () => (await scene.store.listLocations({}))[0]?.rootCommit).toBeDefined()
    const silent = { git: { heldCommits: async () => undefined } }
    for (const claimed of ['ref: refs/heads/main', head]) {
      rmSync(app, { recursive: true })
      forge(app, config, claimed)
      expect(await scene.idOf(app, silent)).not.toBe(first)
      expect(await scene.idOf(app)).not.toBe(first)
      expect(await scene.idOf(app, onMachine('laptop'))).not.toBe(first)
    }
    rmSync(app, { recursive: true })
    clone(one, app, 'git@host:team/one.git')
    expect(await scene.idOf(app)).toBe(first)
  })

  test('without a remote, a copy with the same history is the same project, and another history is not', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'one')
    const first = await scene.idOf(app)
    cpSync(app, join(scene.dir, 'copy'), { recursive: true })
    rmSync(app, { recursive: true })
    cpSync(join(scene.dir, 'copy'), app, { recursive: true })
    git(app, 'commit', '-q', '--allow-empty', '-m', 'later')
    expect(await scene.idOf(app)).toBe(first)
    rmSync(app, { recursive: true })
    aRepository(app, 'two')
    expect(await scene.idOf(app)).not.toBe(first)
  })
})

describe('the same repository', () => {
  test.each([
    ['with stamps', () => ({})],
    ['where the file system has no birth times', withoutStamps],
  ])('stays one project from `git init` to a remote that is added, %s', async (_how, disk) => {
    await using scene = await createSetup()
    const app = join(scene.dir, 'app')
    mkdirSync(app)
    git(app, 'init', '-q')
    const daemon = scene.daemon(disk())
    const id = (await daemon.locate(app)).projectId
    const steps = [
      () => git(app, 'commit', '-q', '--allow-empty', '-m', 'first'),
      () => git(app, 'remote', 'add', 'origin', 'git@host:team/app.git'),
    ]
    for (const step of steps) {
      step()
      expect((await daemon.locate(app)).projectId).toBe(id)
      expect(await scene.idOf(app, disk())).toBe(id)
    }
  })

  test('stays one project whatever becomes of its remotes and its history', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'one')
    git(app, 'remote', 'add', 'origin', 'git@host:team/app.git')
    const id = await scene.idOf(app)
    for (const args of [
      ['remote', 'set-url', 'origin', 'git@elsewhere:other/name.git'],
      ['remote', 'rename', 'origin', 'mirror'],
      ['remote', 'add', 'upstream', 'git@host:original/app.git'],
      ['remote', 'remove', 'mirror'],
      ['checkout', '-q', '--orphan', 'fresh'],
      ['commit', '-q', '--allow-empty', '-m', 'a history of its own'],
      ['branch', '-D', '-q', 'main'],
      ['reflog', 'expire', '--expire=now', '--all'],
      ['gc', '-q', '--prune=now'],
    ]) {
      git(app, ...args)
      expect([args, await scene.idOf(app)]).toEqual([args, id])
    }
  })

  test('a shallow clone that is made whole stays one project', async () => {
    await using scene = await createSetup()
    const one = aRepository(join(scene.dir, 'one'), 'one')
    const app = join(scene.dir, 'app')
    git(scene.dir, 'clone', '-q', '--depth', '1', `file://${one}`, app)
    const id = await scene.idOf(app)
    expect(await readRootCommit(app)).toBeUndefined()
    git(app, 'fetch', '-q', '--unshallow')
    expect(await scene.idOf(app)).toBe(id)
    expect(await readRootCommit(app)).toBe(git(one, 'rev-list', '--max-parents=0', 'HEAD'))
  })

  test('is known again after it was moved, whatever is at its former path', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'one')
    const first = await scene.idOf(app)
    renameSync(app, join(scene.dir, 'kept'))
    aRepository(app, 'two')
    expect(await scene.idOf(app)).not.toBe(first)
    expect(await scene.idOf(join(scene.dir, 'kept'))).toBe(first)
  })

  test('the root commit is read behind the answer, and kept', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'one')
    let answer: ((commit: string) => void) | undefined
    const rootCommit = () => new Promise<string>((resolve) => void (answer = resolve))
    await scene.daemon({ rootCommit }).locate(app)
    await expect.poll(() => answer).toBeDefined()
    expect((await scene.store.listLocations({}))[0]?.rootCommit).toBeUndefined()
    answer?.('c'.repeat(40))
    await expect.poll(async () => (await scene.store.listLocations({}))[0]?.rootCommit).toBe('c'.repeat(40))
  })
})

describe('when git does not answer', () => {
  test('two projects are neither made one nor is one made two', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'one')
    const first = await scene.idOf(app)
    cpSync(app, join(scene.dir, 'copy'), { recursive: true })
    rmSync(app, { recursive: true })
    cpSync(join(scene.dir, 'copy'), app, { recursive: true })
    git(app, 'commit', '-q', '--allow-empty', '-m', 'later')
    const silent = { git: { heldCommits: async () => undefined } }
    expect(await scene.idOf(app, silent)).not.toBe(first)
    expect((await scene.store.listLocations({})).map(({ projectId }) => projectId)).toEqual([first])
    expect(await scene.idOf(app)).toBe(first)
  })
})

describe('what was kept before locations were', () => {
  /** As the version before named a project: by its path alone. */
  const oldId = (path: string) => ProjectId(sha256(path).slice(0, 32))

  async function keepSession(store: Store, place: Location): Promise<void> {
    const event = anEvent('session-started', { sessionKey: SessionKey(`of ${place.worktree} ${place.head}`) })
    await store.append([{ event, location: place }], CADENCE)
  }

  function oldPlace(path: string, more: Partial<Location> = {}): Location {
    const projectId = oldId(join(path, '.git'))
    return { projectId, project: path, projectNormalized: path, worktree: path, ...more }
  }

  test('is adopted by the repository that it is about', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'one')
    git(app, 'remote', 'add', 'origin', 'git@host:team/app.git')
    const head = git(app, 'rev-parse', 'HEAD')
    await keepSession(scene.store, oldPlace(app, { remote: 'host/team/app' }))
    expect(await scene.idOf(app)).toBe(oldId(join(app, '.git')))
    const other = aRepository(join(scene.dir, 'other'), 'other')
    git(other, 'remote', 'add', 'origin', 'git@host:team/renamed.git')
    const known = git(other, 'rev-parse', 'HEAD')
    git(other, 'commit', '-q', '--allow-empty', '-m', 'later')
    await keepSession(scene.store, oldPlace(other, { remote: 'host/team/other', head: known }))
    expect(await scene.idOf(other)).toBe(oldId(join(other, '.git')))
    expect(head).not.toBe(known)
  })

  test('is left alone by another repository at the path', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'two')
    git(app, 'remote', 'add', 'origin', 'git@host:team/two.git')
    await keepSession(scene.store, oldPlace(app, { remote: 'host/team/one', head: 'a'.repeat(40) }))
    expect(await scene.idOf(app)).not.toBe(oldId(join(app, '.git')))
  })

  test('is adopted where it says nothing of the repository: no session, or none with a commit', async () => {
    await using scene = await createSetup()
    const [app, bare] = [aRepository(join(scene.dir, 'app'), 'one'), join(scene.dir, 'plain')]
    mkdirSync(bare)
    for (const [index, projectId] of [oldId(join(app, '.git')), oldId(bare)].entries())
      await scene.store.saveMemory({
        id: MemoryId(`mem-${index}`),
        projectId,
        type: 'note',
        content: 'kept before',
        importance: 5,
        tags: [],
        source: 'cli',
        createdAt: minutesLater(1),
        hits: 0,
      })
    expect(await scene.idOf(app)).toBe(oldId(join(app, '.git')))
    expect(await scene.idOf(bare)).toBe(oldId(bare))
    rmSync(app, { recursive: true })
    aRepository(app, 'two')
    expect(await scene.idOf(app)).not.toBe(oldId(join(app, '.git')))
  })
})

describe('machines on one store', () => {
  test('have a project each for what has nothing but its path in common', async () => {
    await using scene = await createSetup()
    const app = aRepository(join(scene.dir, 'app'), 'one')
    const plain = join(scene.dir, 'plain')
    mkdirSync(plain)
    const [here, folder] = [await scene.idOf(app, onMachine('desk')), await scene.idOf(plain, onMachine('desk'))]
    rmSync(app, { recursive: true })
    aRepository(app, 'two')
    expect(await scene.idOf(app, onMachine('laptop'))).not.toBe(here)
    expect(await scene.idOf(plain, onMachine('laptop'))).not.toBe(folder)
  })

  test('have one for clones of one remote at one path, also when the newest commit was not pushed', async () => {
    await using scene = await createSetup()
    const shared = aRepository(join(scene.dir, 'shared'), 'one')
    const app = join(scene.dir, 'app')
    clone(shared, app, 'git@host:team/app.git')
    git(app, 'commit', '-q', '--allow-empty', '-m', 'not pushed')
    const here = await scene.idOf(app, { ...onMachine('desk'), rootCommit: readRootCommit })
    await expect.poll(async () => (await scene.store.listLocations({}))[0]?.rootCommit).toBeDefined()
    rmSync(app, { recursive: true })
    clone(shared, app, 'ssh://git@host/team/app.git')
    expect(await scene.idOf(app, onMachine('laptop'))).toBe(here)
  })
})
