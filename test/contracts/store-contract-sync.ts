import { describe, expect, test } from 'vitest'
import type { SyncEntry } from '../../src/kernel/ports/sync-store.ts'
import type { OpenStoreForTest } from './store-contract.ts'

const entry = (name: string, body: unknown = {}, more: Partial<SyncEntry> = {}): SyncEntry => ({
  topic: 'version',
  space: 'one',
  name,
  body: JSON.stringify(body),
  ...more,
})

export function syncContract(open: OpenStoreForTest): void {
  describe('entries of exchanges', () => {
    test('an entry is listed by topic, space and name; a second one of the same name replaces it', async () => {
      await using opened = await open()
      const { store } = opened
      const elsewhere = entry('b', { rev: 9 }, { space: 'two' })
      const position = entry('b', 3, { topic: 'position' })
      await store.writeSyncEntries({ saved: [entry('b', { rev: 1 }), entry('a'), elsewhere, position] })
      await store.writeSyncEntries({ saved: [entry('b', { rev: 2 })] })
      const query = { topic: 'version', space: 'one' } as const
      expect(await store.listSyncEntries(query)).toEqual([entry('a'), entry('b', { rev: 2 })])
      expect(await store.listSyncEntries({ ...query, names: ['b', 'c'] })).toEqual([entry('b', { rev: 2 })])
      expect(await store.listSyncEntries({ ...query, names: [] })).toEqual([])
      await store.writeSyncEntries({ saved: [entry('c')], removed: [entry('a'), entry('unknown')] })
      expect((await store.listSyncEntries(query)).map(({ name }) => name)).toEqual(['b', 'c'])
    })

    test('a forgotten space leaves the other ones as they are', async () => {
      await using opened = await open()
      const { store } = opened
      const kept = entry('a', 1, { space: 'kept' })
      const many = Array.from({ length: 500 }, (_, index) =>
        entry(`n${String(index).padStart(3, '0')}`, {}, { space: 'gone' }),
      )
      await store.writeSyncEntries({ saved: [...many, kept] })
      expect(await store.listSyncEntries({ topic: 'version', space: 'gone' })).toEqual(many)
      await store.forgetSyncSpace('gone')
      expect(await store.listSyncEntries({ topic: 'version', space: 'gone' })).toEqual([])
      expect(await store.listSyncEntries({ topic: 'version', space: 'kept' })).toEqual([kept])
    })
  })
}
