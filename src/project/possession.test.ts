import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aRepository, createSetup, clone, onMachine, withoutStamps } from '../../test/support/identity-setup.ts'
import { git } from '../../test/support/temp-dir.ts'
import { createGit } from '../platform/git/git.ts'
import { readRootCommit } from '../platform/git/git-queries.ts'

const ADDRESS = 'git@host:team/one.git'
const patient = createGit({ timeoutMs: 60_000 })

/** What a stranger puts at a path: a repository with a history of its own that names the known address. */
function stranger(app: string): string {
  rmSync(app, { recursive: true, force: true })
  aRepository(app, 'of a stranger')
  git(app, 'remote', 'add', 'origin', ADDRESS)
  return join(app, '.git')
}

interface Victim {
  /** The repository that the known one was cloned from: its objects are on this disk. */
  readonly origin: string
  readonly known: string
}

const replaced = (path: string, target: string) => {
  rmSync(path, { recursive: true, force: true })
  symlinkSync(target, path)
}

const FORGERIES: Readonly<Record<string, (dotGit: string, victim: Victim) => void>> = {
  'calls itself shallow': (dotGit) => {
    const own = git(join(dotGit, '..'), 'rev-parse', 'HEAD')
    writeFileSync(join(dotGit, 'shallow'), `${own}\n`)
  },
  'calls itself shallow at the known commit': (dotGit, { known }) => {
    const own = git(join(dotGit, '..'), 'rev-parse', 'HEAD')
    writeFileSync(join(dotGit, 'shallow'), `${known}\n${own}\n`)
  },
  'borrows the objects by alternates': (dotGit, { origin, known }) => {
    writeFileSync(join(dotGit, 'objects', 'info', 'alternates'), `${join(origin, '.git', 'objects')}\n`)
    writeFileSync(join(dotGit, 'HEAD'), `${known}\n`)
  },
  'has a link in place of its objects': (dotGit, { origin, known }) => {
    replaced(join(dotGit, 'objects'), join(origin, '.git', 'objects'))
    writeFileSync(join(dotGit, 'HEAD'), `${known}\n`)
  },
  'has links in place of its packs': (dotGit, { origin, known }) => {
    git(origin, 'gc', '-q')
    replaced(join(dotGit, 'objects', 'pack'), join(origin, '.git', 'objects', 'pack'))
    writeFileSync(join(dotGit, 'HEAD'), `${known}\n`)
  },
  'has a link for each pack': (dotGit, { origin, known }) => {
    git(origin, 'gc', '-q')
    const pack = join(origin, '.git', 'objects', 'pack')
    mkdirSync(join(dotGit, 'objects', 'pack'), { recursive: true })
    for (const name of readdirSync(pack)) symlinkSync(join(pack, name), join(dotGit, 'objects', 'pack', name))
    writeFileSync(join(dotGit, 'HEAD'), `${known}\n`)
  },
  'has a link for the one object': (dotGit, { origin, known }) => {
    const name = join('objects', known.slice(0, 2), known.slice(2))
    mkdirSync(join(dotGit, 'objects', known.slice(0, 2)), { recursive: true })
    symlinkSync(join(origin, '.git', name), join(dotGit, name))
    writeFileSync(join(dotGit, 'HEAD'), `${known}\n`)
  },
  'replaces the known commit by one of its own': (dotGit, { known }) => {
    const own = git(join(dotGit, '..'), 'rev-parse', 'HEAD')
    mkdirSync(join(dotGit, 'refs', 'replace'))
    writeFileSync(join(dotGit, 'refs', 'replace', known), `${own}\n`)
  },
}

describe('a repository that claims a commit that it does not hold', () => {
  test.each(Object.entries(FORGERIES))('and %s is a project of its own', async (_how, forge) => {
    await using scene = await createSetup()
    const origin = aRepository(join(scene.dir, 'one'), 'one')
    const app = join(scene.dir, 'app')
    clone(origin, app, ADDRESS)
    const first = await scene.idOf(app)
    const known = git(app, 'rev-parse', 'HEAD')
    forge(stranger(app), { origin, known })
    expect(await patient.heldCommits(app, [known])).toEqual(new Set())
    expect(await scene.idOf(app)).not.toBe(first)
    expect(await scene.idOf(app, onMachine('laptop'))).not.toBe(first)
    expect(await scene.idOf(app, withoutStamps())).not.toBe(first)
  })

  test('does not become the project of the repository that it imitated, once that is back', async () => {
    await using scene = await createSetup()
    const origin = aRepository(join(scene.dir, 'one'), 'one')
    const app = join(scene.dir, 'app')
    clone(origin, app, ADDRESS)
    const real = { rootCommit: readRootCommit }
    const first = await scene.idOf(app, real)
    expect((await scene.store.listLocations({}))[0]?.rootCommit).toBeDefined()
    const known = git(app, 'rev-parse', 'HEAD')
    FORGERIES['borrows the objects by alternates']?.(stranger(app), { origin, known })
    const other = await scene.idOf(app, real)
    const [row] = await scene.store.listLocations({ projectId: other })
    expect([row?.commits, row?.rootCommit]).toEqual([[], undefined])
    rmSync(app, { recursive: true })
    clone(origin, app, ADDRESS)
    expect(await scene.idOf(app, real)).toBe(first)
  })

  test('is asked about once, and not again at every call', async () => {
    await using scene = await createSetup()
    const origin = aRepository(join(scene.dir, 'one'), 'one')
    const app = join(scene.dir, 'app')
    git(scene.dir, 'clone', '-q', '--shared', origin, app)
    let asked = 0
    const daemon = scene.daemon({
      git: {
        heldCommits: async (worktree, commits) => {
          asked += 1
          return patient.heldCommits(worktree, commits)
        },
      },
    })
    for (let call = 0; call < 5; call += 1) await daemon.locate(app)
    expect(asked).toBe(1)
    expect((await scene.store.listLocations({}))[0]?.commits).toEqual([])
  })
})

test('a repository that is replaced while git is asked is not given what git says of the other one', async () => {
  await using scene = await createSetup()
  const [one, two] = ['one', 'two'].map((name) => aRepository(join(scene.dir, name), name))
  const app = join(scene.dir, 'app')
  clone(one ?? '', app, ADDRESS)
  const replacing = async (worktree: string, commits: readonly string[]) => {
    const answer = await patient.heldCommits(worktree, commits)
    rmSync(app, { recursive: true })
    clone(two ?? '', app, 'git@host:team/two.git')
    return answer
  }
  await scene.idOf(app, { git: { heldCommits: replacing }, rootCommit: readRootCommit })
  const [row] = await scene.store.listLocations({})
  expect([row?.commits, row?.rootCommit]).toEqual([[], undefined])
})

test('git is asked once about a path, however many repositories were there', async () => {
  await using scene = await createSetup()
  const app = join(scene.dir, 'app')
  const ids = new Set<string>()
  const asked: (readonly string[])[] = []
  for (let count = 0; count < 4; count += 1) {
    rmSync(app, { recursive: true, force: true })
    const origin = aRepository(join(scene.dir, `origin-${count}`), `origin ${count}`)
    clone(origin, app, ADDRESS)
    asked.length = 0
    const heldCommits = async (worktree: string, commits: readonly string[]) => {
      asked.push(commits)
      return patient.heldCommits(worktree, commits)
    }
    ids.add(await scene.idOf(app, { git: { heldCommits } }))
  }
  expect(ids.size).toBe(4)
  // One for what is known of the path, and one for the commit that is checked out.
  expect(asked.map((commits) => commits.length)).toEqual([3, 1])
})

describe('an address without a commit that is known', () => {
  test('is not enough where the directory is another one', async () => {
    await using scene = await createSetup()
    const app = join(scene.dir, 'app')
    mkdirSync(app)
    git(app, 'init', '-q')
    git(app, 'remote', 'add', 'origin', ADDRESS)
    const first = await scene.idOf(app)
    expect(await scene.idOf(app)).toBe(first)
    stranger(app)
    expect(await scene.idOf(app)).not.toBe(first)
    expect(await scene.idOf(app, onMachine('laptop'))).not.toBe(first)
  })
})

describe('a shallow clone', () => {
  function shallowClone(dir: string, origin: string): string {
    const app = join(dir, 'app')
    rmSync(app, { recursive: true, force: true })
    git(dir, 'clone', '-q', '--depth', '1', `file://${origin}`, app)
    git(app, 'remote', 'set-url', 'origin', ADDRESS)
    return app
  }

  test('is the known project with a known commit, and one of its own without', async () => {
    await using scene = await createSetup()
    const origin = aRepository(join(scene.dir, 'one'), 'one')
    const app = shallowClone(scene.dir, origin)
    const first = await scene.idOf(app)
    shallowClone(scene.dir, origin)
    expect(await scene.idOf(app)).toBe(first)
    git(origin, 'commit', '-q', '--allow-empty', '-m', 'later')
    shallowClone(scene.dir, origin)
    expect(await scene.idOf(app)).not.toBe(first)
  })

  test.each([
    ['with stamps', () => ({})],
    ['where the file system has no birth times', withoutStamps],
  ])('goes on as one project through fetches, a later history and moves, %s', async (_how, disk) => {
    await using scene = await createSetup()
    const origin = aRepository(join(scene.dir, 'one'), 'one')
    const app = shallowClone(scene.dir, origin)
    const id = await scene.idOf(app, disk())
    git(app, 'remote', 'set-url', 'origin', `file://${origin}`)
    git(origin, 'commit', '-q', '--allow-empty', '-m', 'later')
    git(app, 'fetch', '-q', '--depth', '1')
    git(app, 'remote', 'set-url', 'origin', ADDRESS)
    git(app, 'reset', '-q', '--hard', 'FETCH_HEAD')
    expect(await scene.idOf(app, disk())).toBe(id)
    git(app, 'fetch', '-q', '--unshallow', `file://${origin}`)
    expect(await scene.idOf(app, disk())).toBe(id)
  })

  test('is known again after it was moved', async () => {
    await using scene = await createSetup()
    const app = shallowClone(scene.dir, aRepository(join(scene.dir, 'one'), 'one'))
    const id = await scene.idOf(app)
    renameSync(app, join(scene.dir, 'moved'))
    stranger(app)
    expect(await scene.idOf(join(scene.dir, 'moved'))).toBe(id)
    expect(await scene.idOf(app)).not.toBe(id)
  })
})

describe('a clone with `--reference`', () => {
  test('is a project of its own, which goes on in its place, also once its objects are its own', async () => {
    await using scene = await createSetup()
    const origin = aRepository(join(scene.dir, 'one'), 'one')
    const app = join(scene.dir, 'app')
    clone(origin, app, ADDRESS)
    const first = await scene.idOf(app)
    rmSync(app, { recursive: true })
    git(scene.dir, 'clone', '-q', '--reference', origin, `file://${origin}`, app)
    git(app, 'remote', 'set-url', 'origin', ADDRESS)
    const own = await scene.idOf(app)
    expect(own).not.toBe(first)
    const file = join(app, '.git', 'objects', 'info', 'alternates')
    appendFileSync(file, '\n')
    git(app, 'commit', '-q', '--allow-empty', '-m', 'later')
    expect(await scene.idOf(app)).toBe(own)
    git(app, 'repack', '-q', '-a', '-d')
    unlinkSync(file)
    expect(await scene.idOf(app)).toBe(own)
    renameSync(app, join(scene.dir, 'moved'))
    expect(await scene.idOf(join(scene.dir, 'moved'))).toBe(own)
  })
})
