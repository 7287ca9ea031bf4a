import { describe, expect, test } from 'vitest'
import { aCheckpointOf, aWorkSummary } from '../../../test/support/checkpoints.ts'
import { SessionId } from '../id.ts'
import { foldCheckpoints } from './fold.ts'

const ask = (text: string, order: number) => ({ text, order, at: '2026-01-02T03:00:00.000Z' })
const file = (path: string, lastOrder: number) => ({ path, action: 'edited' as const, reads: 0, edits: 1, lastOrder })
const todo = { text: 'test it', status: 'pending' as const }

describe('folding checkpoints', () => {
  test('a last checkpoint with nothing in it leaves what the earlier ones knew', () => {
    const periodic = aCheckpointOf(
      { asks: [ask('split the parser', 3)], files: [file('a.ts', 9)], todos: [todo], lastOrder: 10 },
      { nextAction: 'test it' },
    )
    const end = aCheckpointOf({}, { trigger: 'session_end' })
    const view = foldCheckpoints([end, periodic])
    expect(view).toEqual({
      origin: {
        harness: 'claude-code',
        sessionKey: 'session-1',
        trigger: 'session_end',
        createdAt: '2026-01-02T03:04:05.000Z',
        trueAt: '2026-01-02T03:04:05.000Z',
        worktree: '/repo',
        branch: 'main',
        head: 'a'.repeat(40),
        name: undefined,
        dirty: undefined,
      },
      sources: [end.id, periodic.id],
      written: undefined,
      nextAction: 'test it',
      waitOrContinue: 'continue',
      waitingFor: undefined,
      resumeInstructions: undefined,
      remembers: [],
      work: aWorkSummary({
        asks: [ask('split the parser', 3)],
        files: [file('a.ts', 9)],
        todos: [todo],
        lastOrder: 10,
      }),
    })
  })

  test('the newer wins where both speak, and a list it emptied stays empty', () => {
    const older = aCheckpointOf({ files: [file('a.ts', 2)], todos: [todo], lastOrder: 5 })
    const newer = aCheckpointOf({ files: [{ ...file('a.ts', 8), edits: 4 }], lastOrder: 9 })
    const { work } = foldCheckpoints([newer, older])
    expect([work.files, work.todos]).toEqual([[{ ...file('a.ts', 8), edits: 4 }], []])
  })

  test('an earlier session of the lineage lies before the newer one, whatever its own count', () => {
    const before = aCheckpointOf(
      { files: [file('old.ts', 90)], lastOrder: 100 },
      { sessionId: SessionId('claude-code/session-0') },
    )
    const now = aCheckpointOf({ files: [file('new.ts', 2)], lastOrder: 3 })
    expect(foldCheckpoints([now, before]).work.files).toEqual([file('old.ts', -10), file('new.ts', 2)])
  })

  test('what an earlier session only named counts for less, and not at all when a later one opened it', () => {
    const named = (path: string, lastOrder: number, opened = 0.4) => {
      return { path, chance: { opened, edited: opened / 2 }, lastOrder }
    }
    const before = aCheckpointOf(
      { named: [named('a.ts', 90), named('b.ts', 95)], lastOrder: 100 },
      { sessionId: SessionId('claude-code/session-0') },
    )
    const now = aCheckpointOf({ files: [file('a.ts', 2)], lastOrder: 3 })
    expect(foldCheckpoints([now, before]).work.named).toEqual([named('b.ts', -5, 0.2)])
  })

  test('what the agent wrote leads', () => {
    const written = aCheckpointOf(
      {},
      { trigger: 'agent', summary: 'Parser done, printer next.', nextAction: 'Write it' },
    )
    const view = foldCheckpoints([aCheckpointOf({}, { trigger: 'session_end' }), written])
    expect([view.written?.summary, view.written?.isOvertaken, view.nextAction]).toEqual([
      'Parser done, printer next.',
      false,
      'Write it',
    ])
  })

  test('until the user asked for something else', () => {
    const written = aCheckpointOf({ lastOrder: 5 }, { trigger: 'agent', summary: 'Parser done.' })
    const later = aCheckpointOf(
      { asks: [ask('now write the printer, please', 6)], lastOrder: 7 },
      { trigger: 'session_end' },
    )
    expect(foldCheckpoints([later, written]).written).toBeUndefined()
  })

  test('no checkpoint at all gives a view without an origin', () => {
    expect(foldCheckpoints([])).toMatchObject({ origin: undefined, sources: [] })
  })
})
