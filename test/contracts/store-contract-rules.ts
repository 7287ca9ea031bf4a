import { describe, expect, test } from 'vitest'
import { EventId, ProjectId } from '../../src/kernel/id.ts'
import type { OpenStoreForTest } from './store-contract.ts'
import { aRule, idOf, minutesLater } from './store-examples.ts'

const PROJECT = aRule('any').projectId

export function ruleContract(open: OpenStoreForTest): void {
  describe('rules', () => {
    test('a rule is returned as it was saved, newest first, for its project only', async () => {
      await using opened = await open()
      const { store } = opened
      const first = aRule('Never push to main.', { sessionId: idOf('a'), eventId: EventId('e-1') })
      const second = aRule('Use tabs.', { state: 'proposed', source: 'proposed', scope: 'work' })
      const elsewhere = aRule('Use spaces.', { projectId: ProjectId('project-b') })
      await store.saveRules([first, second, elsewhere])
      expect(await store.listRules({ projectId: PROJECT })).toEqual([second, first])
      expect(await store.listRules({ projectId: PROJECT, states: ['active'] })).toEqual([first])
      expect(await store.listRules({ projectId: ProjectId('nobody') })).toEqual([])
      expect(await store.hasProjectData(ProjectId('project-b'))).toBe(true)
    })

    test('a known id gets another text and another state, and nothing else', async () => {
      await using opened = await open()
      const { store } = opened
      const rule = aRule('Never push to main.')
      const newer = aRule('Always push to main.')
      await store.saveRules([rule])
      const retired = { ...rule, state: 'retired', supersededBy: newer.id, retiredAt: minutesLater(2) } as const
      await store.saveRules([{ ...retired, since: minutesLater(9), scope: 'work' }, newer])
      expect(await store.listRules({ projectId: PROJECT })).toEqual([newer, retired])
    })

    test('of retired rules only the newest stay; those in force all do', async () => {
      await using opened = await open()
      const { store } = opened
      const active = aRule('Never push to main.')
      const retired = Array.from({ length: 320 }, (_, index) => aRule(`rule ${index}`, { state: 'retired' }))
      await store.saveRules([active, ...retired])
      const listed = await store.listRules({ projectId: PROJECT })
      expect([listed.length, listed[0], listed.at(-1)]).toEqual([301, retired.at(-1), active])
    })

    test('a damaged rule is left out, and the others are listed', async () => {
      await using opened = await open()
      const { store } = opened
      const [intact, damaged] = [aRule('Use tabs.'), aRule('Never push to main.')]
      await store.saveRules([intact, damaged])
      await opened.tamper(`update rules set state = 'actjve' where id = '${damaged.id}'`)
      expect(await store.listRules({ projectId: PROJECT })).toEqual([intact])
      expect((await store.verify()).map(({ what }) => what)).toEqual(['row'])
    })
  })
}
