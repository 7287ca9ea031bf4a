import { describe, expect, test } from 'vitest'
import { aBench, type Bench, endSession, PROJECT, work } from '../../../test/support/continuity-setup.ts'
import { anEvent } from '../../../test/support/events.ts'
import { EventId, SessionKey } from '../id.ts'

/** Sessions of these many minutes ago, into the log in this order. */
async function importOf({ continuity, ports }: Bench, agesMinutes: readonly number[]): Promise<void> {
  for (const minutes of agesMinutes) {
    const sessionKey = SessionKey(`old-${minutes}`)
    const at = new Date(Date.parse(ports.time.now()) - minutes * 60_000).toISOString()
    const base = { sessionKey, cwd: PROJECT, at, door: 'transcript' } as const
    const events = [
      anEvent('prompt-submitted', {
        ...base,
        id: EventId(`p-${minutes}`),
        prompt: `Make the lexer ${minutes} faster.`,
      }),
      anEvent('tool-finished', { ...base, id: EventId(`t-${minutes}`) }),
    ]
    await continuity.importHistory({
      harness: 'claude-code',
      sessionKey,
      cwd: PROJECT,
      upTo: 100,
      items: events.map((event) => ({ type: 'event', event })),
      isLast: true,
    })
  }
}

async function listed({ continuity }: Bench, limit: number) {
  const sessions = await continuity.listSessions({ limit })
  const checkpoints = await continuity.listCheckpoints({ worktree: PROJECT, limit })
  return {
    sessions: sessions.map(({ key }) => key),
    checkpoints: checkpoints.map(({ checkpoint }) => checkpoint.sessionKey),
  }
}

async function seen(bench: Bench): Promise<void> {
  await work(bench)
  await endSession(bench)
}

describe('newest first, after an import', () => {
  test('sessions and checkpoints stand where their own times put them, in whatever order they came', async () => {
    await using bench = await aBench()
    await importOf(bench, [300, 100, 200])
    const byTime = ['old-100', 'old-200', 'old-300']
    expect(await listed(bench, 10)).toEqual({ sessions: byTime, checkpoints: byTime })
    expect(await listed(bench, 2)).toEqual({ sessions: byTime.slice(0, 2), checkpoints: byTime.slice(0, 2) })
  })

  test('what was seen before the import is not pushed off the page by it', async () => {
    await using bench = await aBench()
    await seen(bench)
    await importOf(bench, [200, 100])
    expect(await listed(bench, 1)).toEqual({ sessions: ['session-1'], checkpoints: ['session-1'] })
    expect((await listed(bench, 10)).sessions).toEqual(['session-1', 'old-100', 'old-200'])
  })

  test('without one, the log’s order is the order', async () => {
    await using bench = await aBench()
    await seen(bench)
    const { store } = bench
    expect(await bench.continuity.listSessions({ limit: 9 })).toEqual(await store.listSessions({ limit: 9 }))
    expect(await bench.continuity.listCheckpoints({ limit: 9 })).toEqual(await store.listCheckpoints({ limit: 9 }))
  })
})
