import { expect, test } from 'vitest'
import { aBench, type Bench, endOf, PROJECT, start, told, work } from '../../test/support/continuity-bench.ts'
import { anEvent } from '../../test/support/events.ts'
import { createContinuity } from './continuity/create.ts'
import { SessionKey } from './id.ts'
import { createMovedPlaces } from './moved-places.ts'

const NEW = '/moved/project'

interface Disk {
  readonly folders: readonly string[]
  /** Commits that the repository in `NEW` has. */
  readonly commits?: readonly string[]
  readonly remotes?: Readonly<Record<string, string>>
}

/** The same store and another disk, as a daemon sees it that starts now. */
function on({ world, store }: Bench, { folders, commits = ['a'.repeat(40)], remotes = {} }: Disk): Bench {
  const deps = world.deps(store)
  const remoteOf = (cwd: string) => (remotes[cwd] === undefined ? {} : { remote: remotes[cwd] })
  const places = createMovedPlaces({
    ...deps,
    places: { locate: async (cwd) => ({ ...(await deps.places.locate(cwd)), ...remoteOf(cwd) }) },
    files: { isDirectory: async (path) => folders.includes(path) },
    git: { hasCommit: async (_worktree, commit) => commits.includes(commit) },
  })
  return { world, store, continuity: createContinuity({ ...deps, places }), [Symbol.asyncDispose]: async () => {} }
}

function startThere(key: string, pid: number) {
  return { ...start(key, pid), cwd: NEW }
}

async function worked(bench: Bench, disk: Disk): Promise<void> {
  const before = on(bench, disk)
  await work(before)
  await endOf(before)
  await before.continuity.drain()
}

test('a repository that was moved goes on as the project it was, and says where that was', async () => {
  await using bench = await aBench()
  await worked(bench, { folders: [PROJECT] })
  const after = on(bench, { folders: [NEW] })
  const said = await told(after, startThere('session-2', 2))
  expect(said).toContain('keep blank lines')
  expect(said).toContain('in /project, moved here since, on main')
  const old = await on(bench, { folders: [PROJECT] }).continuity.locate(PROJECT)
  expect(await after.continuity.locate(NEW)).toMatchObject({ projectId: old.projectId, worktree: NEW })
})

test('what was decided once stays, whatever becomes of the former folder', async () => {
  await using bench = await aBench()
  await worked(bench, { folders: [PROJECT] })
  const { projectId } = await on(bench, { folders: [NEW] }).continuity.locate(NEW)
  const moved = on(bench, { folders: [NEW] })
  await told(moved, startThere('session-2', 2))
  const prompt = anEvent('prompt-submitted', {
    sessionKey: SessionKey('session-2'),
    cwd: NEW,
    prompt: 'Now the printer.',
  })
  await moved.continuity.record(prompt)
  const later = on(bench, { folders: [NEW, PROJECT] })
  expect(await later.continuity.locate(NEW)).toMatchObject({ projectId, formerWorktree: PROJECT })
})

test.each<[string, Disk]>([
  ['the former folder is still there', { folders: [PROJECT, NEW] }],
  ['no commit of it is here', { folders: [NEW], commits: ['b'.repeat(40)] }],
  ['it came from another address', { folders: [NEW], remotes: { [PROJECT]: 'host/a/x', [NEW]: 'host/b/x' } }],
])('a repository is another one when %s', async (_why, disk) => {
  await using bench = await aBench()
  await worked(bench, { ...disk, folders: [PROJECT] })
  expect(await told(on(bench, disk), startThere('session-2', 2))).toBe('')
})

test('of many folders that are gone only the latest are asked about: a hook waits', async () => {
  await using bench = await aBench()
  const { world, store } = bench
  const deps = world.deps(store)
  for (let index = 0; index < 40; index += 1) {
    world.git = { branch: 'main', head: String(index).padStart(40, '0') }
    const sessionKey = SessionKey(`gone-${index}`)
    const event = anEvent('session-started', { sessionKey, cwd: `/gone/${index}`, at: world.time.now() })
    await createContinuity(deps).record(event)
  }
  const asked: string[] = []
  const places = createMovedPlaces({
    ...deps,
    files: { isDirectory: async (path) => path === NEW },
    git: { hasCommit: async (_worktree, commit) => asked.push(commit) === 0 },
  })
  const here = await places.locate(NEW)
  expect([here.projectId, asked.length]).toEqual([(await deps.places.locate(NEW)).projectId, 12])
  expect(asked[0]).toBe('39'.padStart(40, '0'))
})

test('a store that does not answer leaves every repository what its folder says', async () => {
  await using bench = await aBench()
  const { world, store } = bench
  const deps = world.deps(store)
  const failing = { listSessions: () => Promise.reject(new Error('away')) }
  const places = createMovedPlaces({ ...deps, store: failing })
  expect(await places.locate(NEW)).toEqual(await deps.places.locate(NEW))
})
