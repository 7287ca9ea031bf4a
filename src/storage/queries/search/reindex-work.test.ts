import { expect, test } from 'vitest'
import { aCheckpoint, aPlace, START } from '../../../../test/contracts/store-examples.ts'
import { openSqliteEngine } from '../../sqlite/engine.ts'
import { WORK_INDEX } from '../../sqlite/connection/dialect.ts'
import { createSqlStore } from '../sql-store.ts'
import { reindexWork } from './summaries.ts'

test('work stored before the search index is found after the upgrade: the newest of each session, and summaries', async () => {
  const { projectId, worktree } = aPlace()
  const engine = await openSqliteEngine({ file: ':memory:' })
  await using store = createSqlStore(engine)
  await store.saveCheckpoint(aCheckpoint('a', { summary: 'Early cart' }))
  await store.saveCheckpoint(aCheckpoint('a', { summary: 'Late cart' }))
  await store.saveCheckpoint(aCheckpoint('b', { summary: 'Other cart' }))
  await store.saveSummary({
    id: 's1',
    projectId,
    worktree,
    summary: 'A cart in words',
    filesChanged: [],
    entitiesRegistered: [],
    checklistProgress: {},
    savedAt: START,
  })
  const found = async () => {
    const hits = await store.searchWork({ projectId, text: 'cart', limit: 10 })
    return hits.map(({ title }) => title).toSorted()
  }
  const before = await found()
  await engine.write(async (db) => {
    const rows = await db.deleteFrom('work_items').returning('row_id').execute()
    for (const { row_id } of rows) await WORK_INDEX.remove(db, row_id)
  })
  expect(await found()).toEqual([])
  await engine.write((db) => reindexWork(db, WORK_INDEX))
  expect(await found()).toEqual(before)
  expect(before).toEqual(['A cart in words', 'Late cart', 'Other cart'])
})
