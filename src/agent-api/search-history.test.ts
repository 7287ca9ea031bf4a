import { expect, test } from 'vitest'
import { AgentApiSetup, type EventBody, ROOT } from '../../test/support/agent-api-setup.ts'
import { SessionKey } from '../kernel/id.ts'
import { createTestRedactor } from '../../test/support/create-test-redactor.ts'

/** Says it in every way a session can: asked, decided, remembered, summed up. */
async function speak(world: AgentApiSetup, key: string): Promise<void> {
  await world.happen(key, { kind: 'session-started', source: 'startup' })
  await world.happen(key, { kind: 'prompt-submitted', prompt: 'Make the cart count coupons' })
  await world.happen(key, { kind: 'decision-made', decision: 'A coupon is a line of the cart' })
  await world.engine.remember({
    cwd: ROOT,
    type: 'fact',
    content: 'The cart rounds coupons up',
    source: 'mcp',
    session: { harness: 'claude-code', sessionKey: SessionKey(key) },
  })
  await world.door.saveSummary({ cwd: ROOT, summary: 'Coupons in the cart are half done.', sessionLabel: key })
  await world.engine.drain()
}

async function kindsFor(world: AgentApiSetup, asking: { sessionKey?: string; harness?: string }): Promise<string> {
  const hits = await world.door.searchHistory({ cwd: ROOT, text: 'coupon cart', limit: 10, ...asking })
  return hits
    .map(({ kind }) => kind)
    .toSorted()
    .join(' ')
}

const ALL = 'checkpoint decision memory summary'

test('the own words of a session are left out for that session only', async () => {
  await using world = await AgentApiSetup.open()
  await speak(world, 'one')
  await world.happen('two', { kind: 'session-started', source: 'startup' })
  expect(await kindsFor(world, {})).toBe(ALL)
  expect(await kindsFor(world, { sessionKey: 'two' })).toBe(ALL)
  expect(await kindsFor(world, { sessionKey: 'never-seen', harness: 'claude-code' })).toBe(ALL)
  expect(await kindsFor(world, { sessionKey: 'one', harness: 'codex' })).toBe(ALL)
  expect(await kindsFor(world, { sessionKey: 'one', harness: 'claude-code' })).toBe('')
  expect(await kindsFor(world, { sessionKey: 'one' })).toBe('')
})

test('what others said is still found by a session that said the same', async () => {
  await using world = await AgentApiSetup.open()
  await speak(world, 'one')
  await speak(world, 'two')
  expect(await kindsFor(world, { sessionKey: 'two' })).toBe(ALL)
})

test.each<readonly EventBody[]>([
  [{ kind: 'compaction-started', trigger: 'auto' }],
  [{ kind: 'compaction-finished', trigger: 'manual' }],
  [{ kind: 'session-started', source: 'compact' }],
  [
    { kind: 'compaction-started', trigger: 'auto' },
    { kind: 'session-started', source: 'resume' },
  ],
])('a session that was compacted finds its own words again: it no longer sees them all', async (...events) => {
  await using world = await AgentApiSetup.open()
  await speak(world, 'one')
  for (const event of events) await world.happen('one', event)
  await world.engine.drain()
  expect(await kindsFor(world, { sessionKey: 'one' })).toBe(ALL)
})

test('a session that was resumed sees what it said before', async () => {
  await using world = await AgentApiSetup.open()
  await speak(world, 'one')
  await world.happen('one', { kind: 'session-started', source: 'resume' })
  expect(await kindsFor(world, { sessionKey: 'one' })).toBe('')
})

test('text that became a secret after it was stored is redacted in results', async () => {
  const redactor = createTestRedactor((text) => text.replaceAll('opensesame', '[REDACTED]'))
  await using world = await AgentApiSetup.open({ redactors: { forWorktree: async () => redactor } })
  await world.happen('one', { kind: 'session-started', source: 'startup' })
  await world.happen('one', { kind: 'prompt-submitted', prompt: 'The cart takes coupons by opensesame' })
  await world.happen('one', { kind: 'decision-made', decision: 'A cart says opensesame to its coupons' })
  await world.engine.remember({ cwd: ROOT, content: 'Coupons of the cart are opensesame', source: 'cli' })
  await world.engine.drain()
  const hits = await world.door.searchHistory({ cwd: ROOT, text: 'coupon cart', limit: 10 })
  expect(hits.map(({ kind }) => kind).toSorted()).toEqual(['checkpoint', 'decision', 'memory'])
  expect(JSON.stringify(hits)).not.toContain('opensesame')
})
