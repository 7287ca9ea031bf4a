import { expect, test } from 'vitest'
import { aBench, type Bench, here, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { createContinuity } from '../app/create-continuity.ts'
import { EventId } from '../kernel/id.ts'
import type { ToolOutcome } from '../kernel/event.ts'

async function say({ continuity, ports }: Bench, prompt: string, id?: string): Promise<void> {
  const at = ports.time.now()
  const named = id === undefined ? {} : { id: EventId(id) }
  await continuity.record(anEvent('prompt-submitted', { ...here, at, prompt, ...named }))
}

const list = async ({ continuity }: Pick<Bench, 'continuity'>, includeRetired = false) =>
  (await continuity.listRules({ cwd: PROJECT, includeRetired })).map(({ text, state }) => [text, state])

const refusal = (words: string): ToolOutcome => ({ ok: false, refused: { by: 'user', words } })

test('what the user said is listed, newest first, with where it was said', async () => {
  await using bench = await aBench()
  await bench.continuity.record(start('session-1', 1))
  await say(bench, 'Fix the parser. Never push to main.', 'e-1')
  await say(bench, 'use pnpm, not npm')
  await bench.continuity.drain()
  const rules = await bench.continuity.listRules({ cwd: PROJECT })
  expect(rules).toMatchObject([
    { text: 'use pnpm, not npm', state: 'active', source: 'found', scope: 'project' },
    { text: 'Never push to main.', sessionId: 'claude-code/session-1', eventId: 'e-1' },
  ])
})

test('the same thing said twice is one rule, and what contradicts it supersedes it', async () => {
  await using bench = await aBench()
  await bench.continuity.record(start('session-1', 1))
  await say(bench, 'use pnpm, not npm')
  await say(bench, 'Please use pnpm instead of npm.')
  expect(await list(bench)).toEqual([['use pnpm, not npm', 'active']])
  await say(bench, 'Use npm, not pnpm.')
  expect(await list(bench, true)).toEqual([
    ['Use npm, not pnpm.', 'active'],
    ['use pnpm, not npm', 'retired'],
  ])
})

test('a rule ends when the user lifts it, and begins again when it is repeated', async () => {
  await using bench = await aBench()
  await bench.continuity.record(start('session-1', 1))
  await say(bench, 'Never push to main.')
  await say(bench, 'ok, you can push to main again')
  expect(await list(bench)).toEqual([])
  await say(bench, 'Never push to main!')
  expect(await list(bench)).toEqual([['Never push to main!', 'active']])
})

test('the words of a refusal and a typed answer count; those of a subagent do not', async () => {
  await using bench = await aBench()
  await bench.continuity.record(start('session-1', 1))
  const answers = [{ question: 'Where?', options: ['here', 'there'], answer: 'Never write outside of src/.' }]
  await bench.continuity.recordAll([
    anEvent('tool-finished', { ...here, outcome: refusal('use the staging database for that') }),
    anEvent('tool-finished', { ...here, outcome: { ok: true, answers } }),
    anEvent('prompt-submitted', { ...here, prompt: 'Never reply.', subagent: { id: 'a' } }),
  ])
  expect(await list(bench)).toEqual([
    ['Never write outside of src/.', 'active'],
    ['use the staging database for that', 'active'],
  ])
})

test('a rule of the work at hand ends after two weeks; one of the project does not', async () => {
  await using bench = await aBench()
  await bench.continuity.record({ ...start('session-1', 1), at: bench.ports.time.now() })
  await say(bench, "Never push to main. And don't commit yet.")
  expect(await list(bench)).toHaveLength(2)
  bench.ports.time.advance(15 * 86_400_000)
  expect(await list(bench)).toEqual([['Never push to main.', 'active']])
})

test('a rule of the work at hand that ended is not counted among the 100', async () => {
  await using bench = await aBench()
  const { continuity } = bench
  await continuity.record({ ...start('session-1', 1), at: bench.ports.time.now() })
  await say(bench, "Don't commit yet.")
  await continuity.drain()
  bench.ports.time.advance(15 * 86_400_000)
  for (let number = 1; number <= 100; number += 1)
    await continuity.addRule({ text: `Never touch area ${number}.`, cwd: PROJECT })
  await expect(continuity.addRule({ text: 'Never touch src.', cwd: PROJECT })).rejects.toMatchObject({
    code: 'conflict',
  })
})

test('a rule of the work at hand that ended can be put in force again, and said again, for two weeks', async () => {
  await using bench = await aBench()
  const { continuity } = bench
  await continuity.record({ ...start('session-1', 1), at: bench.ports.time.now() })
  await say(bench, "Don't commit yet.")
  const [rule] = await continuity.listRules({ cwd: PROJECT })
  bench.ports.time.advance(15 * 86_400_000)
  expect(await list(bench)).toEqual([])
  await continuity.changeRule({ id: rule?.id ?? '', cwd: PROJECT, state: 'active' })
  expect(await list(bench)).toEqual([["Don't commit yet.", 'active']])
  bench.ports.time.advance(15 * 86_400_000)
  expect(await list(bench)).toEqual([])
  await say(bench, "Don't commit yet.")
  expect(await list(bench)).toEqual([["Don't commit yet.", 'active']])
})

test('a message whose rules were not stored before the daemon died is read again by the next one', async () => {
  await using bench = await aBench()
  const deaf = createContinuity(bench.ports.deps(bench.store), { subscribers: { rules: () => undefined } })
  await deaf.record(start('session-1', 1))
  await deaf.record(anEvent('prompt-submitted', { ...here, prompt: 'Never push to main.' }))
  expect(await bench.store.listRules({ projectId: (await deaf.locate(PROJECT)).projectId })).toEqual([])
  expect(await list(bench)).toEqual([['Never push to main.', 'active']])
})

test('a rule that a person retired stays retired, also after a restart', async () => {
  await using bench = await aBench()
  await bench.continuity.record(start('session-1', 1))
  await say(bench, 'Never push to main.')
  const [rule] = await bench.continuity.listRules({ cwd: PROJECT })
  await bench.continuity.changeRule({ id: rule?.id.slice(0, 9) ?? '', cwd: PROJECT, state: 'retired' })
  const restarted = createContinuity(bench.ports.deps(bench.store))
  expect(await list({ continuity: restarted })).toEqual([])
  expect(await list({ continuity: restarted }, true)).toEqual([['Never push to main.', 'retired']])
})

test('an agent can only propose; a person accepts or refuses', async () => {
  await using bench = await aBench()
  const { continuity } = bench
  const proposed = await continuity.addRule({ text: 'Use tabs.', cwd: PROJECT, isProposal: true })
  expect(await continuity.addRule({ text: 'use tabs', cwd: PROJECT, isProposal: true })).toEqual(proposed)
  expect(await list(bench)).toEqual([['Use tabs.', 'proposed']])
  await continuity.changeRule({ id: proposed.id, cwd: PROJECT, state: 'active' })
  expect(await list(bench)).toEqual([['Use tabs.', 'active']])
})

test('a rule added by hand is redacted, edited by a part of its id, and an unknown id is refused', async () => {
  await using bench = await aBench()
  const { continuity } = bench
  const added = await continuity.addRule({ text: '  Never  push to main. ', cwd: PROJECT })
  expect(added).toMatchObject({ text: 'Never push to main.', source: 'added', state: 'active' })
  const edited = await continuity.changeRule({ id: added.id, cwd: PROJECT, text: 'Never push to release.' })
  expect(edited).toEqual({ ...added, text: 'Never push to release.' })
  await expect(continuity.changeRule({ id: 'nothing', cwd: PROJECT })).rejects.toMatchObject({ code: 'not-found' })
  await expect(continuity.addRule({ text: ' ', cwd: PROJECT })).rejects.toMatchObject({ code: 'invalid-input' })
})

test('a call that breaks a rule is warned of before it runs, twice between two compactions, never refused', async () => {
  await using bench = await aBench()
  await work(bench)
  await say(bench, 'Never push to main.')
  const push = () => {
    bench.ports.time.advance(5_000)
    const tool = { name: 'Bash', kind: 'shell', files: [], command: 'git push origin main' } as const
    return told(bench, anEvent('tool-started', { ...here, tool }))
  }
  const first = await push()
  expect(first).toContain('## This breaks a rule of the user')
  expect(first).toContain('"Never push to main."')
  expect([await push(), await push()].map((text) => text === '')).toEqual([false, true])
  await told(bench, start('session-1', 1, 'compact'))
  expect(await push()).toContain('"Never push to main."')
})
