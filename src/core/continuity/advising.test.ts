import { expect, test } from 'vitest'
import { aBench, FIRST, here, told, work } from '../../../test/support/continuity-bench.ts'
import { anEvent } from '../../../test/support/events.ts'

const compaction = anEvent('compaction-started', { ...here, trigger: 'auto' })

test('before a compaction the summariser is told what must survive, and the ledger has it', async () => {
  await using bench = await aBench()
  await work(bench)
  const advice = await told(bench, compaction)
  expect(advice).toContain(`the user's ask: "Make the parser keep blank lines."`)
  const [kept] = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 1 })
  const [entry] = await bench.store.listInjections({ sessionId: FIRST, limit: 1 })
  expect([kept?.checkpoint.trigger, entry?.kind, entry?.chars, entry?.sources]).toEqual([
    'pre_compaction',
    'compaction-advice',
    advice.length,
    [kept?.checkpoint.id],
  ])
})

test('advice takes nothing from the recovery that follows', async () => {
  await using bench = await aBench()
  await work(bench)
  await told(bench, compaction)
  const recovery = await told(bench, anEvent('session-started', { ...here, source: 'compact' }))
  expect(recovery).toContain('Make the parser keep blank lines.')
})

test('a session that did nothing, a subagent and a project where it is switched off are told nothing', async () => {
  await using bench = await aBench()
  expect(await told(bench, compaction)).toBe('')
  await work(bench)
  expect(await told(bench, { ...compaction, id: anEvent('turn-ended').id, subagent: { id: 'a' } })).toBe('')
  const { world } = bench
  world.config = { ...world.config, continuity: { ...world.config.continuity, enabled: false } }
  expect(await told(bench, { ...compaction, id: anEvent('turn-ended').id })).toBe('')
})
