import { describe, expect, test } from 'vitest'
import { aBench, type Bench, endSession, PROJECT, start, told, work } from '../../../test/support/continuity-setup.ts'
import { anEvent } from '../../../test/support/events.ts'
import type { TranscriptItem } from '../../kernel/event.ts'
import { EventId, SessionId, SessionKey } from '../../kernel/id.ts'
import type { HistoryBatch } from './import-history.ts'

const KEY = SessionKey('old')
const ID = SessionId('claude-code/old')

function ago(bench: Bench, minutes: number): string {
  return new Date(Date.parse(bench.ports.time.now()) - minutes * 60_000).toISOString()
}

function items(at: string, prompt = 'Make the lexer faster.'): readonly TranscriptItem[] {
  const base = { sessionKey: KEY, cwd: PROJECT, at, door: 'transcript' } as const
  return [
    { type: 'event', event: anEvent('prompt-submitted', { ...base, id: EventId(`p-${prompt}`), prompt }) },
    { type: 'event', event: anEvent('tool-finished', { ...base, id: EventId(`t-${prompt}`) }) },
    { type: 'note', note: { kind: 'statement', text: `Done with it: ${prompt}` } },
  ]
}

function batch(given: Partial<HistoryBatch>): HistoryBatch {
  return {
    harness: 'claude-code',
    sessionKey: KEY,
    cwd: PROJECT,
    gitBranch: 'main',
    upTo: 100,
    items: [],
    isLast: true,
    ...given,
  }
}

describe('importing history', () => {
  test('a session is over from its first batch on, with its own times, and composed once at its end', async () => {
    await using bench = await aBench()
    const { continuity, store } = bench
    const at = ago(bench, 30)
    expect(await continuity.importHistory(batch({ items: items(at), isLast: false }))).toEqual({
      standing: 'open',
      upTo: 100,
      kept: 2,
    })
    expect(await store.findSession(ID)).toMatchObject({ phase: 'ended', endReason: 'imported', startedAt: at })
    expect(await store.listCheckpoints({ sessionId: ID, limit: 9 })).toEqual([])
    expect(await continuity.importHistory(batch({ upTo: 101 }))).toEqual({ standing: 'over', upTo: 100, kept: 0 })
    expect(await store.findSession(ID)).toMatchObject({ phase: 'ended', endedAt: at, lastEventAt: at })
    const checkpoints = await store.listCheckpoints({ sessionId: ID, limit: 9 })
    expect(checkpoints.map(({ checkpoint }) => [checkpoint.trigger, checkpoint.createdAt])).toEqual([
      ['session_end', at],
    ])
  })

  test('earlier events in the log are not its work, and its failures are not new', async () => {
    await using bench = await aBench()
    const { continuity } = bench
    await work(bench)
    await endSession(bench)
    await continuity.drain()
    const at = ago(bench, 30)
    const failing = Array.from({ length: 3 }, (_, index): TranscriptItem => {
      const id = EventId(`f-${index}`)
      const tool = { name: 'Bash', kind: 'shell', files: [], command: 'npm run build' } as const
      const outcome = { ok: false, exitStatus: 1, output: 'TypeError: peek is not a function' }
      const base = { sessionKey: KEY, cwd: PROJECT, at, door: 'transcript' } as const
      return { type: 'event', event: anEvent('tool-finished', { ...base, id, tool, outcome }) }
    })
    await continuity.importHistory(batch({ items: [...items(at), ...failing] }))
    await continuity.drain()
    const [receipt] = await continuity.sessionReceipts(KEY)
    expect(receipt).toMatchObject({ calls: 4, isWarm: false, earlierSessions: [] })
    expect(receipt?.rework).toBeUndefined()
    expect(await continuity.listMemories({ cwd: PROJECT, limit: 5 })).toEqual([])
  })

  test('the same batches again change nothing, and more of the transcript goes on from there', async () => {
    await using bench = await aBench()
    const { continuity, store } = bench
    const first = batch({ items: items(ago(bench, 30)) })
    await continuity.importHistory(first)
    const before = await store.counts()
    expect(await continuity.importHistory(first)).toEqual({ standing: 'over', upTo: 100, kept: 0 })
    expect(await store.counts()).toEqual(before)
    const more = batch({ upTo: 200, items: items(ago(bench, 20), 'And the printer.') })
    expect(await continuity.importHistory(more)).toEqual({ standing: 'over', upTo: 200, kept: 2 })
    const [newest] = await store.listCheckpoints({ sessionId: ID, limit: 1 })
    expect(newest?.checkpoint.work.asks.map(({ text }) => text)).toEqual(['Make the lexer faster.', 'And the printer.'])
    expect(newest?.checkpoint.work.statements).toHaveLength(2)
  })

  test('killed between keeping the events and folding them, the next run folds each once', async () => {
    await using bench = await aBench()
    const { continuity, store } = bench
    const given = batch({ items: items(ago(bench, 30)) })
    await continuity.importHistory({ ...given, isLast: false })
    const snapshot = await store.findWork(ID)
    await store.saveWork({ sessionId: ID, eventSeq: 0, transcriptOffset: 0, state: '' })
    await continuity.importHistory({ ...given, isLast: false })
    expect((await store.findWork(ID))?.state).toBe(snapshot?.state)
  })

  test('the next session in the worktree gets it within the window, and not after', async () => {
    await using bench = await aBench()
    await bench.continuity.importHistory(batch({ items: items(ago(bench, 30)) }))
    expect(await told(bench, start('next', 2))).toContain('Make the lexer faster.')
    await using later = await aBench()
    await later.continuity.importHistory(batch({ items: items(ago(later, 15 * 24 * 60)) }))
    expect(await told(later, start('next', 2))).toBe('')
  })

  test('one that does not say its branch may have been on this one: an older one that says so does not come before it', async () => {
    await using bench = await aBench()
    await bench.continuity.importHistory(batch({ items: items(ago(bench, 60)) }))
    const key = SessionKey('no-branch')
    const newer = items(ago(bench, 30), 'Teach the reader about tabs.').map((item) =>
      item.type === 'note' ? item : { ...item, event: { ...item.event, sessionKey: key } },
    )
    const { gitBranch: _gitBranch, ...said } = batch({ sessionKey: key, items: newer })
    await bench.continuity.importHistory(said)
    expect(await told(bench, start('next', 2))).toContain('Teach the reader about tabs.')
  })

  test('it does not speak over a session that was seen later, though it came into the log after it', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    await bench.continuity.importHistory(batch({ items: items(ago(bench, 30)) }))
    const said = await told(bench, start('next', 2))
    expect(said).toContain('keep blank lines')
    expect(said).not.toContain('lexer')
  })

  test('many imported sessions do not displace the one that was seen', async () => {
    await using bench = await aBench()
    await work(bench)
    await endSession(bench)
    for (let n = 0; n < 45; n += 1) {
      const key = SessionKey(`old-${n}`)
      const moved = items(ago(bench, 30)).map((item) =>
        item.type === 'note'
          ? item
          : { ...item, event: { ...item.event, id: EventId(`${item.event.id}-${n}`), sessionKey: key } },
      )
      await bench.continuity.importHistory(batch({ sessionKey: key, items: moved }))
    }
    expect(await told(bench, start('next', 2))).toContain('keep blank lines')
  })

  test('a session that hooks reported is left to them', async () => {
    await using bench = await aBench()
    await bench.continuity.record({ ...start('old', 1), at: bench.ports.time.now() })
    expect(await bench.continuity.importHistory(batch({ items: items(ago(bench, 30)) }))).toEqual({
      standing: 'known',
      upTo: 0,
      kept: 0,
    })
  })

  test('a time to come counts as now, and another session’s event is refused', async () => {
    await using bench = await aBench()
    await bench.continuity.importHistory(batch({ items: items('2999-01-01T00:00:00.000Z') }))
    expect((await bench.store.findSession(ID))?.lastEventAt).toBe(bench.ports.time.now())
    const foreign = anEvent('prompt-submitted', { sessionKey: SessionKey('other'), id: EventId('x') })
    await expect(
      bench.continuity.importHistory(batch({ upTo: 300, items: [{ type: 'event', event: foreign }] })),
    ).rejects.toThrow('belongs to another session')
  })
})
