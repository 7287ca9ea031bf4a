import { expect, test } from 'vitest'
import { aBench, FIRST, here, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { SessionKey } from '../kernel/id.ts'

const compaction = anEvent('compaction-started', { ...here, trigger: 'auto' })

test('before a compaction the summariser gets what must survive, and the ledger has it', async () => {
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

test('the hint of a session that continues another has the other’s request', async () => {
  await using bench = await aBench()
  await work(bench)
  bench.ports.dead.add(1)
  const second = { sessionKey: SessionKey('session-2'), cwd: PROJECT, process: { pid: 2 } }
  expect(await told(bench, start('session-2', 2))).toContain('Make the parser keep blank lines.')
  await told(bench, anEvent('prompt-submitted', { ...second, prompt: 'go on' }))
  expect(await told(bench, anEvent('compaction-started', { ...second, trigger: 'auto' }))).toContain(
    `the user's ask: "Make the parser keep blank lines.", now "go on"`,
  )
})

test('the harness says how much it takes', async () => {
  await using bench = await aBench()
  await work(bench)
  await bench.continuity.record(compaction)
  const room = async (maxChars: number) => (await bench.continuity.inject({ event: compaction, maxChars }))?.text.length
  const whole = (await room(9_500)) ?? 0
  expect(whole).toBeGreaterThan(200)
  expect((await room(whole - 1)) ?? 0).toBeLessThan(whole)
  expect(await room(50)).toBeUndefined()
})

test('advice takes nothing from the recovery that follows', async () => {
  await using bench = await aBench()
  await work(bench)
  await told(bench, compaction)
  const recovery = await told(bench, anEvent('session-started', { ...here, source: 'compact' }))
  expect(recovery).toContain('Make the parser keep blank lines.')
})

test('a session without work, a subagent and a project where it is switched off get no hint', async () => {
  await using bench = await aBench()
  expect(await told(bench, compaction)).toBe('')
  await work(bench)
  expect(await told(bench, { ...compaction, id: anEvent('turn-ended').id, subagent: { id: 'a' } })).toBe('')
  const { ports } = bench
  ports.config = { ...ports.config, continuity: { ...ports.config.continuity, enabled: false } }
  expect(await told(bench, { ...compaction, id: anEvent('turn-ended').id })).toBe('')
})
