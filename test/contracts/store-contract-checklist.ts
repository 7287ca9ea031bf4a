import { describe, expect, test } from 'vitest'
import type { StoredItemRecord } from '../../src/kernel/checklist.ts'
import { ProjectId } from '../../src/kernel/id.ts'
import type { OpenStoreForTest } from './store-contract.ts'
import { minutesLater } from './store-examples.ts'

const HERE = ProjectId('project-a')
const ELSEWHERE = ProjectId('project-b')
const KEPT_PER_PROJECT = 2_000

function aRecord(id: string, record: Partial<StoredItemRecord> = {}): StoredItemRecord {
  return {
    id,
    projectId: HERE,
    itemId: '3f2a9c81d0',
    section: 'Parser',
    text: 'keeps “blank” lines',
    status: 'done',
    by: 'claude-code/one',
    at: minutesLater(1),
    ...record,
  }
}

const run = {
  command: 'npm test -- parser',
  ok: false,
  exitStatus: 0,
  expect: '12 passed',
  isMatched: false,
  output: 'Tests  11 passed | 1 failed\n“ünïcode”',
  at: minutesLater(3),
  durationMs: 1_234,
}

export function checklistContract(open: OpenStoreForTest): void {
  describe('checklist records', () => {
    test('come back whole and oldest first, by the order they were kept in, for their project only', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.listChecklistRecords({ projectId: HERE, limit: 9 })).toEqual([])
      const records = [
        aRecord('r1', { at: minutesLater(9), note: 'by hand' }),
        aRecord('r2', { status: 'verified', run }),
        aRecord('r3', { status: 'blocked', run: { ...run, exitStatus: undefined, endedBy: 'timeout' } }),
      ]
      await store.saveChecklistRecords(records.slice(0, 2))
      await store.saveChecklistRecords(records.slice(2))
      await store.saveChecklistRecords([aRecord('r4', { projectId: ELSEWHERE })])
      const { exitStatus: _exitStatus, ...timedOut } = { ...run, endedBy: 'timeout' } as const
      const last = { ...aRecord('r3', { status: 'blocked' }), run: timedOut }
      expect(await store.listChecklistRecords({ projectId: HERE, limit: 9 })).toEqual([records[0], records[1], last])
      expect(await store.listChecklistRecords({ projectId: HERE, limit: 2 })).toEqual([records[1], last])
      expect(await store.listChecklistRecords({ projectId: ELSEWHERE, limit: 9 })).toEqual([
        aRecord('r4', { projectId: ELSEWHERE }),
      ])
    })

    test('a known id is a no-op, so a second import adds nothing', async () => {
      await using opened = await open()
      const { store } = opened
      const records = [aRecord('r1'), aRecord('r2')]
      await store.saveChecklistRecords(records)
      await store.saveChecklistRecords([aRecord('r1', { note: 'again' }), aRecord('r3')])
      await store.saveChecklistRecords([])
      expect(await store.listChecklistRecords({ projectId: HERE, limit: 9 })).toEqual([...records, aRecord('r3')])
    })

    test('the newest of a project stay when there are too many', async () => {
      await using opened = await open()
      const { store } = opened
      await store.saveChecklistRecords([aRecord('other', { projectId: ELSEWHERE })])
      await store.saveChecklistRecords(Array.from({ length: KEPT_PER_PROJECT + 3 }, (_, index) => aRecord(`r${index}`)))
      const kept = await store.listChecklistRecords({ projectId: HERE, limit: 9_999 })
      expect(kept).toHaveLength(KEPT_PER_PROJECT)
      expect(kept[0]?.id).toBe('r3')
      expect(await store.listChecklistRecords({ projectId: ELSEWHERE, limit: 9 })).toHaveLength(1)
    })
  })
}
