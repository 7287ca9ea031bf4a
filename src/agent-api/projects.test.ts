import { describe, expect, test } from 'vitest'
import { AgentApiSetup, ROOT } from '../../test/support/agent-api-setup.ts'
import { sha256 } from '../../test/support/fake-ports.ts'
import { ProjectId } from '../kernel/id.ts'
import type { KnownLocation } from '../kernel/location.ts'
import type { Locator } from '../kernel/ports/ports.ts'

/** Each of these folders is a repository of its own; whatever is in none of them has no git. */
function repositoriesAt(...roots: readonly string[]): Locator {
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
    await using ports = await AgentApiSetup.open()
    const { door } = ports
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

  test('an unknown name resolves to the current directory, and is refused without one', async () => {
    await using ports = await AgentApiSetup.open()
    const { door } = ports
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
      hint: expect.stringContaining('Known projects: web-shop.'),
    })
    expect(await door.resolveProject({ project: 'nobody', cwd: ROOT })).toMatchObject({ name: 'web-shop' })
  })

  test('a folder without git resolves to a project of its name only when the registered one is gone', async () => {
    await using ports = await AgentApiSetup.open()
    ports.git = undefined
    const { door } = ports
    const registered = await door.registerProject({ name: 'shop', rootPath: ROOT })
    await ports.store.saveLocation(aLocation(ROOT, registered.projectId))
    ports.directories.add('/srv/shop')
    expect(await door.resolveProject({ cwd: '/srv/shop' })).toMatchObject({ isRegistered: false })
    ports.directories.delete(ROOT)
    expect(await door.resolveProject({ cwd: '/srv/shop' })).toMatchObject({
      isRegistered: true,
      matchedBy: 'folder-name',
      rootPath: '/srv/shop',
      projectId: registered.projectId,
    })
    ports.git = { branch: 'main', head: 'b'.repeat(40) }
    expect(await door.resolveProject({ cwd: '/srv/shop' })).toMatchObject({ isRegistered: false })
  })

  test.each([
    ['was a repository', { location: `${ROOT}/.git`, stamp: 'inode' }],
    ['had commits', { commits: ['a'.repeat(40)] }],
    ['is on record nowhere', undefined],
  ])('a folder without git does not inherit a project that %s', async (_what, more) => {
    await using ports = await AgentApiSetup.open({ locator: repositoriesAt() })
    const { door } = ports
    const { projectId } = await door.registerProject({ name: 'shop', rootPath: ROOT })
    if (more !== undefined) await ports.store.saveLocation(aLocation(ROOT, projectId, more))
    ports.directories.delete(ROOT)
    ports.directories.add('/tmp/shop')
    expect(await door.resolveProject({ cwd: '/tmp/shop' })).toMatchObject({ isRegistered: false })
  })

  test('a repository below a registered folder stays itself, before its first commit too', async () => {
    await using ports = await AgentApiSetup.open({ locator: repositoriesAt('/srv/all/app') })
    const { door } = ports
    ports.directories.add('/srv/all').add('/srv/all/app')
    await door.registerProject({ name: 'trap', rootPath: '/srv/all' })
    const app = { name: 'app', rootPath: '/srv/all/app', isRegistered: false }
    expect(await door.resolveProject({ cwd: '/srv/all/app/src' })).toMatchObject(app)
    expect(await door.resolveProject({ project: '/srv/all/app' })).toMatchObject(app)
    expect(await door.resolveProject({ cwd: '/srv/all/notes' })).toMatchObject({ name: 'trap', rootPath: '/srv/all' })
  })

  test('the nearest registered root of the same repository is the project', async () => {
    await using ports = await AgentApiSetup.open({ locator: repositoriesAt(ROOT) })
    const { door } = ports
    ports.directories.add(`${ROOT}/packages/cart`)
    await door.registerProject({ name: 'web-shop', rootPath: ROOT })
    await door.registerProject({ name: 'cart', rootPath: `${ROOT}/packages/cart` })
    expect(await door.resolveProject({ cwd: `${ROOT}/packages/cart/src` })).toMatchObject({ name: 'cart' })
    expect(await door.resolveProject({ cwd: `${ROOT}/src` })).toMatchObject({ name: 'web-shop' })
  })

  test.each(['/', '/home', '/home/dev'])('%s cannot be registered', async (rootPath) => {
    await using ports = await AgentApiSetup.open()
    ports.directories.add(rootPath)
    await expect(ports.door.registerProject({ name: 'all', rootPath })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining(`${rootPath} cannot be a project`),
      hint: expect.stringContaining('folder of this one project'),
    })
    expect(await ports.door.listProjects()).toEqual([])
  })

  test('a home folder that was registered by an earlier version does not cover the folders in it', async () => {
    await using ports = await AgentApiSetup.open({ locator: repositoriesAt() })
    const projectId = ProjectId(sha256('/home/dev').slice(0, 16))
    await ports.store.saveProject({ name: 'all', rootPath: '/home/dev', projectId, addedAt: ports.time.now() })
    ports.directories.add('/home/dev')
    expect(await ports.door.resolveProject({ cwd: '/home/dev/notes' })).toMatchObject({ isRegistered: false })
    expect(await ports.door.resolveProject({ cwd: '/home/dev' })).toMatchObject({ name: 'all' })
  })

  test('a name stays with its project as long as that is there', async () => {
    await using ports = await AgentApiSetup.open({ locator: repositoriesAt(ROOT, '/srv/other') })
    const { door } = ports
    ports.directories.add('/srv/other').add(`${ROOT}/src`)
    const { projectId } = await door.registerProject({ name: 'shop', rootPath: ROOT })
    await expect(door.registerProject({ name: 'shop', rootPath: '/srv/other' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(ROOT),
      hint: expect.stringContaining('another name'),
    })
    expect(await door.listProjects()).toMatchObject([{ name: 'shop', rootPath: ROOT, projectId }])
    expect(await door.registerProject({ name: 'shop', rootPath: `${ROOT}/src` })).toMatchObject({ projectId })
    ports.directories.delete(`${ROOT}/src`)
    expect(await door.registerProject({ name: 'shop', rootPath: '/srv/other' })).toMatchObject({
      rootPath: '/srv/other',
    })
  })

  test('a name is free once another repository is in the folder of its project', async () => {
    await using ports = await AgentApiSetup.open()
    const { door, store } = ports
    const addedAt = ports.time.now()
    await store.saveProject({ name: 'shop', rootPath: ROOT, projectId: ProjectId('gone'), addedAt })
    ports.directories.add('/srv/other')
    expect(await door.registerProject({ name: 'shop', rootPath: '/srv/other' })).toMatchObject({
      rootPath: '/srv/other',
    })
  })

  test('a root that is not a directory, a relative one and a name of two lines are refused', async () => {
    await using ports = await AgentApiSetup.open()
    const { door } = ports
    await expect(door.registerProject({ name: 'x', rootPath: '/nowhere' })).rejects.toThrow(
      '/nowhere is not a directory',
    )
    await expect(door.registerProject({ name: 'x', rootPath: './x' })).rejects.toThrow('is not absolute')
    await expect(door.registerProject({ name: 'x\ny', rootPath: ROOT })).rejects.toThrow('must be one line')
    await expect(door.addProjectKeyword({ cwd: ROOT, keyword: 'y' })).rejects.toThrow('is not registered')
  })
})
