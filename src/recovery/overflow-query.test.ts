import { describe, expect, test } from 'vitest'
import { aBench, endSession, FIRST, here, PROJECT, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { SessionKey } from '../kernel/id.ts'
import { createContinuity } from '../app/create-continuity.ts'

const SECOND = { cwd: PROJECT, harness: 'claude-code', sessionKey: SessionKey('session-2') } as const

/** A session with an overflow, its end, and the next session, which got the block. */
async function twoSessions(bench: Awaited<ReturnType<typeof aBench>>, hasTools = true) {
  const { ports, store } = bench
  const continuity = createContinuity({ ...ports.deps(store), hasTools: () => hasTools })
  const equipped = { ...bench, continuity }
  await work(equipped)
  for (let index = 0; index < 60; index += 1) {
    const files = [{ path: `${PROJECT}/src/a-long-name-for-a-folder/file-${index}.ts`, action: 'edited' as const }]
    const tool = { name: 'Edit', kind: 'edit' as const, files, callId: `call-${index}` }
    await continuity.record(anEvent('tool-finished', { ...here, tool, outcome: { ok: true } }))
  }
  await endSession(equipped)
  await continuity.drain()
  return { continuity, block: await told(equipped, start('session-2', 2)) }
}

describe('the layer below the block', () => {
  test('the block names the tool and the session; the tool returns what was left out', async () => {
    await using bench = await aBench()
    const { continuity, block } = await twoSessions(bench)
    expect(block.split('\n').at(-2)).toBe('| More: MCP tool checkpoint_resume, session_id "session-1"')
    expect(block.length).toBeLessThanOrEqual(2_000)
    const { text, leftOut, sources } = await continuity.previewRecovery({
      ...SECOND,
      restChars: 8_000,
      restOf: SessionKey('session-1'),
    })
    const files = (from: string) => new Set(from.match(/file-\d+\.ts/g) ?? [])
    const [shown, rest] = [files(block), files(text)]
    expect([[...rest].filter((name) => shown.has(name)), leftOut, sources.length > 0]).toEqual([[], 0, true])
    expect(shown.size + rest.size).toBe(60)
  })

  test('without a session it is the rest of whoever speaks; a small budget says how much is left', async () => {
    await using bench = await aBench()
    const { continuity } = await twoSessions(bench)
    const named = await continuity.previewRecovery({ ...SECOND, restChars: 8_000, restOf: SessionKey('session-1') })
    expect(await continuity.previewRecovery({ ...SECOND, restChars: 8_000 })).toEqual(named)
    const small = await continuity.previewRecovery({ ...SECOND, restChars: 500 })
    expect([small.text.length <= 500, (small.leftOut ?? 0) > 0]).toEqual([true, true])
  })

  test('no pointer where the harness has no tools', async () => {
    await using bench = await aBench()
    expect((await twoSessions(bench, false)).block).not.toContain('checkpoint_resume')
  })

  test('a session of another project, and one that is not known, are refused', async () => {
    await using bench = await aBench()
    const { continuity } = await twoSessions(bench)
    const elsewhere = { cwd: '/another', restChars: 2_000, restOf: SessionKey('session-1') }
    await expect(continuity.previewRecovery(elsewhere)).rejects.toMatchObject({ code: 'not-found' })
    const unknown = { ...SECOND, restChars: 2_000, restOf: SessionKey('nobody') }
    await expect(continuity.previewRecovery(unknown)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('beside the checkpoints', () => {
  async function afterCompaction(bench: Awaited<ReturnType<typeof aBench>>, summary: string | undefined) {
    const compaction = [
      anEvent('compaction-started', { ...here, trigger: 'auto' }),
      anEvent('compaction-finished', { ...here, ...(summary === undefined ? {} : { summary }) }),
    ]
    await bench.continuity.recordAll(compaction)
    return told(bench, start('session-1', 1, 'compact'))
  }

  test('after a compaction whose summary is known, what it says is left to it', async () => {
    await using bench = await aBench()
    await work(bench)
    const block = await afterCompaction(bench, 'The user asked: "Make the parser keep blank lines."')
    expect(block).toContain('## Session Recovery Context')
    expect(block).not.toContain('"Make the parser keep blank lines."')
  })

  test('control: a summary that is not known, or of an earlier compaction, holds nothing', async () => {
    await using bench = await aBench()
    await work(bench)
    expect(await afterCompaction(bench, undefined)).toContain(': "Make the parser keep blank lines."')
    await using again = await aBench()
    await work(again)
    await afterCompaction(again, 'The user asked: "Make the parser keep blank lines."')
    await again.continuity.record(anEvent('turn-ended', { ...here, lastMessage: 'Went on a little.' }))
    expect(await afterCompaction(again, undefined)).toContain(': "Make the parser keep blank lines."')
  })

  test('a new session gets everything: the summary was in a context that is gone', async () => {
    await using bench = await aBench()
    await work(bench)
    await afterCompaction(bench, 'The user asked: "Make the parser keep blank lines."')
    await endSession(bench)
    expect(await told(bench, start('session-2', 2))).toContain(': "Make the parser keep blank lines."')
  })

  test('SESSION-STATE.md is injected again after a compaction', async () => {
    await using bench = await aBench()
    const { ports, store } = bench
    const state = { text: 'sentinel  7f3a', modifiedAt: ports.time.now() }
    const continuity = createContinuity({ ...ports.deps(store), sessionState: async () => state })
    const equipped = { ...bench, continuity }
    await work(equipped)
    await endSession(equipped)
    ports.time.advance(60_000)
    expect(await told(equipped, start('session-2', 2))).toContain('SESSION-STATE.md: sentinel  7f3a')
    const second = { sessionKey: SessionKey('session-2'), cwd: PROJECT, process: { pid: 2 }, at: ports.time.now() }
    await continuity.record(anEvent('prompt-submitted', { ...second, prompt: 'Now the printer.' }))
    expect(await told(equipped, start('session-2', 2, 'compact'))).toContain(
      'SESSION-STATE.md, of the session before: sentinel  7f3a',
    )
  })

  test('SESSION-STATE.md speaks for the session that wrote it, and one that was there before for nobody', async () => {
    await using bench = await aBench()
    const { ports, store } = bench
    const before = { text: 'from  the repository', modifiedAt: '2020-01-01T00:00:00.000Z' }
    let state = before
    const continuity = createContinuity({ ...ports.deps(store), sessionState: async () => state })
    const equipped = { ...bench, continuity }
    await work(equipped)
    await endSession(equipped)
    expect((await continuity.previewRecovery({ cwd: PROJECT })).text).not.toContain('from  the repository')
    state = { text: 'sentinel  7f3a', modifiedAt: ports.time.now() }
    expect((await continuity.previewRecovery({ cwd: PROJECT })).text).toContain('SESSION-STATE.md: sentinel  7f3a')
    expect((await store.findSession(FIRST))?.phase).toBe('ended')
  })
})
