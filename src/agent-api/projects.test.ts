import { describe, expect, test } from 'vitest'
import { DoorWorld, ROOT } from '../../test/support/door-world.ts'
import { sha256 } from '../../test/support/world.ts'
import { ProjectId } from '../kernel/id.ts'
import type { KnownLocation } from '../kernel/repository.ts'
import type { Places } from '../kernel/ports/ports.ts'

/** Each of these folders is a repository of its own; whatever is in none of them has no git. */
function repositoriesAt(...roots: readonly string[]): Places {
  return {
    locate: async (cwd) => {
      const root = roots.find((path) => cwd === path || cwd.startsWith(`${path}/`))
      const worktree = root ?? cwd
      return {
        projectId: ProjectId(sha256(worktree).slice(0, 16)),
        project: worktree,
        projectNormalized: worktree,
        worktree,
        ...(root !== undefined && { branch: 'main' }),
      }
    },
  }
}

function aLocation(location: string, projectId: ProjectId, more: Partial<KnownLocation> = {}): KnownLocation {
  const lastSeenAt = '2026-01-02T03:00:00.000Z'
  return { machineId: 'machine-1', location, projectId, remotes: [], commits: [], lastSeenAt, ...more }
}

describe('projects', () => {
  test('a similar name is the one canonical project for every question', async () => {
    await using world = await DoorWorld.open()
    const { door } = world
    await door.registerProject({ name: 'web-shop', rootPath: ROOT })
    await door.addProjectKeyword({ project: 'web-shop', keyword: 'Storefront' })
    const asked = { project: 'Shop' }
    await door.recordIntent({ ...asked, intent: 'Fix the cart', files: ['cart.ts'], sessionLabel: 'one' })
    await door.registerEntity({ ...asked, name: 'Cart', type: 'class', file: 'cart.ts' })
    await door.saveSummary({ ...asked, summary: 'The cart was looked at.', sessionLabel: 'one' })
    for (const project of ['web-shop', 'SHOP', 'the-web-shop', 'storefront', ROOT]) {
      const resolved = await door.resolveProject({ project })
      const intents = await door.listIntents({ project, limit: 5 })
      const entities = await door.listEntities({ project, limit: 5 })
      const { summaries } = await door.recentSessions({ project, limit: 5 })
      const hits = await door.searchHistory({ project, text: 'cart', limit: 5 })
      const { text } = await door.briefing({ project })
      expect([resolved.name, intents.length, entities.length, summaries.length, hits.length]).toEqual([
        'web-shop',
        1,
        1,
        1,
        1,
      ])
      expect(text).toContain('# Session Briefing: web-shop')
      expect(text).toContain('Fix the cart')
    }
  })

  test('an unknown name is about the directory one is in, and refused where there is none', async () => {
    await using world = await DoorWorld.open()
    const { door } = world
    expect(await door.resolveProject({ project: 'anything', cwd: ROOT })).toMatchObject({
      name: 'shop',
      isRegistered: false,
      matchedBy: 'directory',
    })
    await expect(door.resolveProject({ project: 'anything' })).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('register_project'),
    })
    await door.registerProject({ name: 'web-shop', rootPath: ROOT })
    await expect(door.resolveProject({ project: 'nobody' })).rejects.toMatchObject({
      hint: expect.stringContaining('Known are web-shop.'),
    })
    expect(await door.resolveProject({ project: 'nobody', cwd: ROOT })).toMatchObject({ name: 'web-shop' })
  })

  test('a folder without git speaks for a project of its name only when the registered one is gone', async () => {
    await using world = await DoorWorld.open()
    world.git = undefined
    const { door } = world
    const registered = await door.registerProject({ name: 'shop', rootPath: ROOT })
    await world.store.keepLocation(aLocation(ROOT, registered.projectId))
    world.directories.add('/srv/shop')
    expect(await door.resolveProject({ cwd: '/srv/shop' })).toMatchObject({ isRegistered: false })
    world.directories.delete(ROOT)
    expect(await door.resolveProject({ cwd: '/srv/shop' })).toMatchObject({
      isRegistered: true,
      matchedBy: 'folder-name',
      rootPath: '/srv/shop',
      projectId: registered.projectId,
    })
    world.git = { branch: 'main', head: 'b'.repeat(40) }
    expect(await door.resolveProject({ cwd: '/srv/shop' })).toMatchObject({ isRegistered: false })
  })

  test.each([
    ['was a repository', { location: `${ROOT}/.git`, stamp: 'inode' }],
    ['had commits', { commits: ['a'.repeat(40)] }],
    ['is on record nowhere', undefined],
  ])('a folder without git does not inherit a project that %s', async (_what, more) => {
    await using world = await DoorWorld.open({ places: repositoriesAt() })
    const { door } = world
    const { projectId } = await door.registerProject({ name: 'shop', rootPath: ROOT })
    if (more !== undefined) await world.store.keepLocation(aLocation(ROOT, projectId, more))
    world.directories.delete(ROOT)
    world.directories.add('/tmp/shop')
    expect(await door.resolveProject({ cwd: '/tmp/shop' })).toMatchObject({ isRegistered: false })
  })

  test('a repository below a registered folder stays itself, before its first commit too', async () => {
    await using world = await DoorWorld.open({ places: repositoriesAt('/srv/all/app') })
    const { door } = world
    world.directories.add('/srv/all').add('/srv/all/app')
    await door.registerProject({ name: 'trap', rootPath: '/srv/all' })
    const app = { name: 'app', rootPath: '/srv/all/app', isRegistered: false }
    expect(await door.resolveProject({ cwd: '/srv/all/app/src' })).toMatchObject(app)
    expect(await door.resolveProject({ project: '/srv/all/app' })).toMatchObject(app)
    expect(await door.resolveProject({ cwd: '/srv/all/notes' })).toMatchObject({ name: 'trap', rootPath: '/srv/all' })
  })

  test('the nearest registered root of the same repository is the project', async () => {
    await using world = await DoorWorld.open({ places: repositoriesAt(ROOT) })
    const { door } = world
    world.directories.add(`${ROOT}/packages/cart`)
    await door.registerProject({ name: 'web-shop', rootPath: ROOT })
    await door.registerProject({ name: 'cart', rootPath: `${ROOT}/packages/cart` })
    expect(await door.resolveProject({ cwd: `${ROOT}/packages/cart/src` })).toMatchObject({ name: 'cart' })
    expect(await door.resolveProject({ cwd: `${ROOT}/src` })).toMatchObject({ name: 'web-shop' })
  })

  test.each(['/', '/home', '/home/dev'])('%s cannot be registered', async (rootPath) => {
    await using world = await DoorWorld.open()
    world.directories.add(rootPath)
    await expect(world.door.registerProject({ name: 'all', rootPath })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining(`${rootPath} cannot be a project`),
      hint: expect.stringContaining('folder that holds this one project'),
    })
    expect(await world.door.listProjects()).toEqual([])
  })

  test('a home folder that was registered by an earlier version has no say over the folders in it', async () => {
    await using world = await DoorWorld.open({ places: repositoriesAt() })
    const projectId = ProjectId(sha256('/home/dev').slice(0, 16))
    await world.store.keepProject({ name: 'all', rootPath: '/home/dev', projectId, addedAt: world.time.now() })
    world.directories.add('/home/dev')
    expect(await world.door.resolveProject({ cwd: '/home/dev/notes' })).toMatchObject({ isRegistered: false })
    expect(await world.door.resolveProject({ cwd: '/home/dev' })).toMatchObject({ name: 'all' })
  })

  test('a name stays with its project as long as that is there', async () => {
    await using world = await DoorWorld.open({ places: repositoriesAt(ROOT, '/srv/other') })
    const { door } = world
    world.directories.add('/srv/other').add(`${ROOT}/src`)
    const { projectId } = await door.registerProject({ name: 'shop', rootPath: ROOT })
    await expect(door.registerProject({ name: 'shop', rootPath: '/srv/other' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(ROOT),
      hint: expect.stringContaining('another name'),
    })
    expect(await door.listProjects()).toMatchObject([{ name: 'shop', rootPath: ROOT, projectId }])
    expect(await door.registerProject({ name: 'shop', rootPath: `${ROOT}/src` })).toMatchObject({ projectId })
    world.directories.delete(`${ROOT}/src`)
    expect(await door.registerProject({ name: 'shop', rootPath: '/srv/other' })).toMatchObject({
      rootPath: '/srv/other',
    })
  })

  test('a name is free once another repository is in the folder of its project', async () => {
    await using world = await DoorWorld.open()
    const { door, store } = world
    const addedAt = world.time.now()
    await store.keepProject({ name: 'shop', rootPath: ROOT, projectId: ProjectId('gone'), addedAt })
    world.directories.add('/srv/other')
    expect(await door.registerProject({ name: 'shop', rootPath: '/srv/other' })).toMatchObject({
      rootPath: '/srv/other',
    })
  })

  test('a root that is no directory, a relative one and a name of two lines are refused', async () => {
    await using world = await DoorWorld.open()
    const { door } = world
    await expect(door.registerProject({ name: 'x', rootPath: '/nowhere' })).rejects.toThrow('no directory /nowhere')
    await expect(door.registerProject({ name: 'x', rootPath: './x' })).rejects.toThrow('is not absolute')
    await expect(door.registerProject({ name: 'x\ny', rootPath: ROOT })).rejects.toThrow('is one line')
    await expect(door.addProjectKeyword({ cwd: ROOT, keyword: 'y' })).rejects.toThrow('is not registered')
  })
})
