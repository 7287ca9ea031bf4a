import { expect, test } from 'vitest'
import { aBench, type Bench, endSession, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { SessionId } from '../kernel/id.ts'

async function whyOf({ store }: Bench, key: string): Promise<readonly string[]> {
  const [last] = await store.listInjections({ sessionId: SessionId(`claude-code/${key}`), limit: 1 })
  return last?.reasons.flatMap(({ line, reason }) => (line === '' ? reason : [])) ?? []
}

test('the first session in a worktree hears nothing, because nobody was there before', async () => {
  await using bench = await aBench()
  await told(bench, start('session-1', 1))
  expect(await whyOf(bench, 'session-1')).toEqual(['no earlier session is known in this worktree'])
})

test('a live session’s work is not injected elsewhere, and that is the reason', async () => {
  await using bench = await aBench()
  await work(bench)
  await told(bench, start('session-2', 2))
  expect(await whyOf(bench, 'session-2')).toEqual([
    'claude-code session session- works in this worktree: the work of a live session is not injected into another',
    'claude-code session session-, just now: it is still running; the work of a live session is not given to another',
  ])
})

test('a session that is too old is named with its time and the setting', async () => {
  await using bench = await aBench()
  await work(bench)
  await endSession(bench)
  bench.ports.time.advance(15 * 24 * 3_600_000)
  await told(bench, start('session-2', 2))
  expect(await whyOf(bench, 'session-2')).toEqual([
    'claude-code session session- was the last one here, 2026-01-02T03:00Z: longer ago than 14 d (continuity.recoveryWindowDays)',
    'claude-code session session-, 15 d ago: it is older than continuity.recoveryWindowDays',
  ])
})

test('work in another worktree is offered by name', async () => {
  await using bench = await aBench()
  await work(bench)
  await endSession(bench)
  await bench.continuity.drain()
  const [kept] = await bench.store.listCheckpoints({ worktree: PROJECT, limit: 1 })
  await told(bench, { ...start('session-2', 2), cwd: `${PROJECT}#sibling` })
  expect(await whyOf(bench, 'session-2')).toEqual([
    'no earlier session is known in this worktree',
    `another worktree has ${kept?.checkpoint.id}: ${PROJECT} on main`,
  ])
})

test('the reason is an unchanged earlier injection, or that recovery is switched off', async () => {
  await using bench = await aBench()
  await work(bench)
  await endSession(bench)
  await told(bench, start('session-1', 2, 'resume'))
  await told(bench, start('session-1', 3, 'resume'))
  expect((await whyOf(bench, 'session-1'))[0]).toBe('injected before in this conversation and unchanged since')
  const { config } = bench.ports
  bench.ports.config = { ...config, continuity: { ...config.continuity, enabled: false } }
  expect((await bench.continuity.previewRecovery({ cwd: PROJECT })).reasons.map(({ reason }) => reason)).toEqual([
    'switched off here (continuity.enabled)',
  ])
})
