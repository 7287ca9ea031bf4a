import { describe, expect, test } from 'vitest'
import { DoorWorld, ROOT } from '../../../test/support/door-world.ts'

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

  test('a folder of the same name speaks for a project only when the registered one is gone', async () => {
    await using world = await DoorWorld.open()
    const { door } = world
    const registered = await door.registerProject({ name: 'shop', rootPath: ROOT })
    world.directories.add('/srv/shop')
    expect(await door.resolveProject({ cwd: '/srv/shop' })).toMatchObject({ isRegistered: false })
    world.directories.delete(ROOT)
    expect(await door.resolveProject({ cwd: '/srv/shop' })).toMatchObject({
      isRegistered: true,
      matchedBy: 'folder-name',
      rootPath: '/srv/shop',
      projectId: registered.projectId,
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
