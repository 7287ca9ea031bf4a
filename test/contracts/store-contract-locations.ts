import { describe, expect, test } from 'vitest'
import { ProjectId } from '../../src/kernel/id.ts'
import type { KnownLocation } from '../../src/kernel/location.ts'
import type { RetentionPolicy } from '../../src/kernel/ports/ports.ts'
import type { OpenStoreForTest } from './store-contract.ts'
import { aMemory, aPlace, aPrompt, aStart, CADENCE, idOf, minutesLater } from './store-examples.ts'

function aLocation(location: Partial<KnownLocation> = {}): KnownLocation {
  return {
    machineId: 'desk',
    location: '/home/dev/a/.git',
    projectId: ProjectId('project-a'),
    remotes: ['host/original/a', 'host/fork/ünïcode'],
    stamp: '17.1794940807094420712',
    rootCommit: '0'.repeat(40),
    commits: ['1'.repeat(40), '2'.repeat(40)],
    movedFrom: '/home/dev/before/.git',
    lastSeenAt: minutesLater(1),
    ...location,
  }
}

export function locationContract(open: OpenStoreForTest): void {
  describe('locations', () => {
    test('are found by location, stamp and project, as they were kept, the latest seen first', async () => {
      await using opened = await open()
      const { store } = opened
      const [one, two, elsewhere] = [
        aLocation(),
        aLocation({ projectId: ProjectId('project-b'), stamp: '18.1', lastSeenAt: minutesLater(3) }),
        aLocation({ machineId: 'laptop', location: '/srv/a/.git', lastSeenAt: minutesLater(2) }),
      ]
      const bare: KnownLocation = {
        machineId: 'desk',
        location: '/home/dev/plain',
        projectId: ProjectId('project-c'),
        remotes: [],
        commits: [],
        lastSeenAt: minutesLater(0),
      }
      for (const known of [one, two, elsewhere, bare]) await store.saveLocation(known)
      expect(await store.listLocations({ location: one.location })).toEqual([two, one])
      expect(await store.listLocations({ stamp: '18.1' })).toEqual([two])
      expect(await store.listLocations({ projectId: one.projectId })).toEqual([elsewhere, one])
      expect(await store.listLocations({ location: bare.location })).toEqual([bare])
      expect(await store.listLocations({ location: '/nowhere' })).toEqual([])
    })

    test('are replaced by what is seen later, each project and machine on its own', async () => {
      await using opened = await open()
      const { store } = opened
      const other = aLocation({ machineId: 'laptop' })
      for (const known of [aLocation(), other]) await store.saveLocation(known)
      const later = aLocation({ remotes: [], commits: ['3'.repeat(40)], stamp: '19.1', lastSeenAt: minutesLater(9) })
      await store.saveLocation(later)
      expect(await store.listLocations({ location: later.location })).toEqual([later, other])
    })

    test('of one repository, by naming remote and root commit, share memories, rules, work and entities', async () => {
      await using opened = await open()
      const { store } = opened
      const at = (name: string, known: Partial<KnownLocation> = {}) =>
        aLocation({ projectId: ProjectId(name), location: `/home/dev/${name}/.git`, stamp: name, ...known })
      await store.saveLocation(at('project-a'))
      await store.saveLocation(at('clone'))
      await store.saveLocation(at('fork', { remotes: ['host/fork/a'] }))
      await store.saveLocation(at('other', { rootCommit: '9'.repeat(40) }))
      const { rootCommit: _, ...unproven } = at('unproven')
      await store.saveLocation(unproven)
      await store.saveLocation(at('local-1', { remotes: [] }))
      await store.saveLocation(at('local-2', { remotes: [] }))

      const projects = async (name: string) => (await store.listRepositoryProjects(ProjectId(name))).toSorted()
      expect(await projects('project-a')).toEqual(['clone', 'project-a'])
      expect(await projects('local-1')).toEqual(['local-1', 'local-2'])
      for (const alone of ['fork', 'other', 'unproven', 'unknown']) expect(await projects(alone)).toEqual([alone])

      const memory = aMemory('Releases are tagged by the pipeline', { projectId: ProjectId('clone') })
      await store.saveMemory(memory)
      const rule = {
        id: 'rule-1',
        projectId: ProjectId('clone'),
        text: 'Never push to main',
        since: minutesLater(1),
        state: 'active',
        source: 'added',
        scope: 'project',
      } as const
      await store.saveRules([rule])
      const entity = { name: 'Parser', type: 'class', file: 'src/parser.ts', lastSeenAt: minutesLater(1) } as const
      for (const project of ['clone', 'project-a']) await store.saveEntity({ ...entity, projectId: ProjectId(project) })
      const known = async (name: string) => {
        const projectId = ProjectId(name)
        return {
          memories: (await store.listMemories({ projectId, limit: 9 })).length,
          here: (await store.listMemories({ projectId, isHereOnly: true, limit: 9 })).length,
          hits: (await store.searchMemories({ projectId, text: 'releases tagged', limit: 9 })).length,
          rules: (await store.listRules({ projectId })).length,
          entities: (await store.listEntities({ projectId, limit: 9 })).map((found) => found.projectId),
        }
      }
      expect(await known('project-a')).toEqual({ memories: 1, here: 0, hits: 1, rules: 1, entities: ['project-a'] })
      for (const alone of ['fork', 'other', 'unproven'])
        expect(await known(alone)).toEqual({ memories: 0, here: 0, hits: 0, rules: 0, entities: [] })
      // A clone may replace what was said in another one.
      await store.saveMemory(
        aMemory('Releases are tagged by hand', { projectId: ProjectId('project-a'), supersedes: memory.id }),
      )
      expect((await store.findMemory(memory.id))?.supersededBy).toBeDefined()
    })

    const POLICY: RetentionPolicy = { now: minutesLater(60 * 24 * 100), retentionDays: 30, sliceRows: 500 }
    const daysLater = (days: number) => minutesLater(60 * 24 * days)

    test('that were long not seen go where nothing of their project is kept, and stay where anything is', async () => {
      await using opened = await open()
      const { store } = opened
      const [byMemory, bySession, byNothing, young] = ['m', 's', 'n', 'y'].map((name) =>
        aLocation({ projectId: ProjectId(name) }),
      )
      await store.saveMemory(aMemory('anything', { projectId: ProjectId('m') }))
      await store.append([{ event: aStart('a'), location: aPlace({ projectId: ProjectId('s') }) }], CADENCE)
      for (const known of [byMemory, bySession, byNothing]) if (known !== undefined) await store.saveLocation(known)
      await store.saveLocation(aLocation({ ...young, lastSeenAt: daysLater(71) }))
      expect(await store.pruneLocations(POLICY)).toBe(1)
      const left = await store.listLocations({})
      expect(left.map(({ projectId }) => projectId)).toEqual(['y', 'm', 's'])
      expect(await store.pruneLocations(POLICY)).toBe(0)
    })

    test('of one project on one machine stay the 20 latest, and what was seen within the days', async () => {
      await using opened = await open()
      const { store } = opened
      await store.saveMemory(aMemory('anything', { projectId: ProjectId('m') }))
      const at = (index: number, more: Partial<KnownLocation> = {}) =>
        aLocation({
          projectId: ProjectId('m'),
          location: `/home/dev/${index}/.git`,
          lastSeenAt: daysLater(index),
          ...more,
        })
      for (let index = 0; index < 25; index += 1) await store.saveLocation(at(index))
      await store.saveLocation(at(0, { machineId: 'laptop' }))
      expect(await store.pruneLocations({ ...POLICY, sliceRows: 3 })).toBe(3)
      expect(await store.pruneLocations({ ...POLICY, sliceRows: 3 })).toBe(2)
      expect(await store.pruneLocations(POLICY)).toBe(0)
      const left = await store.listLocations({ projectId: ProjectId('m') })
      expect(left.filter(({ machineId }) => machineId === 'desk').map(({ location }) => location)).toEqual(
        Array.from({ length: 20 }, (_, index) => `/home/dev/${24 - index}/.git`),
      )
      expect(left.filter(({ machineId }) => machineId === 'laptop')).toHaveLength(1)
      for (let index = 75; index < 100; index += 1) await store.saveLocation(at(index))
      expect(await store.pruneLocations(POLICY)).toBe(20)
      expect(await store.pruneLocations(POLICY)).toBe(0)
    })

    test('a project is kept once anything of it is', async () => {
      await using opened = await open()
      const { store } = opened
      const [byMemory, bySession, byNothing] = ['m', 's', 'n'].map(ProjectId)
      await store.saveMemory(aMemory('anything', { projectId: byMemory }))
      await store.append([{ event: aStart('a'), location: aPlace({ projectId: bySession }) }], CADENCE)
      const kept = [byMemory, bySession, byNothing].map((id = ProjectId('')) => store.hasProjectData(id))
      expect(await Promise.all(kept)).toEqual([true, true, false])
    })
  })

  describe('the machine of a session', () => {
    const machine = { id: 'desk', name: 'desk.local' }
    const process = { pid: 7, startedAt: 'then' }

    test('is the one that its process speaks from, whoever else says something about it', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a', { process }), machine }], CADENCE)
      const laptop = { id: 'laptop', name: 'laptop.local' }
      await store.append([{ event: aPrompt('a'), machine: laptop }], CADENCE)
      expect((await store.findSession(idOf('a')))?.machine).toEqual(machine)
      await store.append([{ event: aPrompt('a', { process }), machine: laptop }], CADENCE)
      expect((await store.findSession(idOf('a')))?.machine).toEqual(laptop)
    })

    test('a start in a process of the same number on another machine ends nothing', async () => {
      await using opened = await open()
      const { store } = opened
      await store.append([{ event: aStart('a', { process }), machine }], CADENCE)
      await store.append([{ event: aStart('b', { process }), machine: { id: 'laptop', name: 'l' } }], CADENCE)
      expect((await store.findSession(idOf('a')))?.phase).toBe('idle')
      await store.append([{ event: aStart('c', { process }), machine }], CADENCE)
      expect((await store.findSession(idOf('a')))?.phase).toBe('interrupted')
    })
  })
}
