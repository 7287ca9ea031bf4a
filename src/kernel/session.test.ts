import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anEvent } from '../../test/support/events.ts'
import { EVENT_KINDS, type SessionEvent } from './event.ts'
import { ProjectId } from './id.ts'
import { type AdvanceContext, type Session, advance, afterCheckpoint, isPeriodicDue, PHASES } from './session.ts'

const cadence = { promptInterval: 10, timeIntervalMs: 900_000 }

function play(events: readonly SessionEvent[], context: Partial<AdvanceContext> = {}) {
  let session: Session | undefined
  const effects = events.map((event, index) => {
    const step = advance(session, event, { seq: index + 1, cadence, ...context })
    session = step.session
    return step.effects
  })
  if (session === undefined) throw new Error('play at least one event')
  return { session, effects }
}

const anyEvent = fc
  .record({
    kind: fc.constantFrom(...EVENT_KINDS),
    door: fc.constantFrom('hook' as const, 'transcript' as const),
    isSubagent: fc.boolean(),
    minutes: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  })
  .map(({ kind, door, isSubagent, minutes }) => ({
    ...anEvent(kind),
    door,
    at: new Date(Date.parse('2026-01-02T00:00:00Z') + minutes * 60_000).toISOString(),
    ...(isSubagent ? { subagent: { id: 'a1' } } : {}),
  }))

describe('the session state machine', () => {
  test('a session goes from idle to working to idle to ended', () => {
    const kinds = ['session-started', 'prompt-submitted', 'tool-finished', 'turn-ended', 'session-ended'] as const
    const phases = kinds.map((_, index) => play(kinds.slice(0, index + 1).map((kind) => anEvent(kind))).session.phase)
    expect(phases).toEqual(['idle', 'working', 'working', 'idle', 'ended'])
  })

  test('the tenth prompt asks for a periodic checkpoint, and every later one until it is taken', () => {
    const { effects } = play(Array.from({ length: 11 }, () => anEvent('prompt-submitted')))
    const due = { kind: 'checkpoint', trigger: 'periodic', isUrgent: false }
    expect(effects.map((list) => list.length)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    expect(effects[9]).toEqual([due])
  })

  test('an agent that works alone is due by time, without any prompt', () => {
    const { session } = play([anEvent('prompt-submitted'), anEvent('tool-finished')])
    expect(isPeriodicDue(session, '2026-01-02T03:19:04.999Z', cadence)).toBe(false)
    expect(isPeriodicDue(session, '2026-01-02T03:19:05.000Z', cadence)).toBe(true)
  })

  test('a checkpoint resets the cadence and forgets only the work it reflects', () => {
    const { session } = play([anEvent('prompt-submitted'), anEvent('tool-finished')])
    const reset = { promptsSinceCheckpoint: 0, lastCheckpointAt: '2026-01-02T03:05:00.000Z' }
    expect(afterCheckpoint(session, reset.lastCheckpointAt, 2)).toEqual({ ...session, ...reset, hasNewWork: false })
    expect(afterCheckpoint(session, reset.lastCheckpointAt, 1)).toEqual({ ...session, ...reset, hasNewWork: true })
  })

  test('compaction and the end of a session ask for a checkpoint at once', () => {
    expect(play([anEvent('compaction-started')]).effects).toEqual([
      [{ kind: 'checkpoint', trigger: 'pre_compaction', isUrgent: true }],
    ])
    expect(play([anEvent('session-ended')]).effects).toEqual([
      [{ kind: 'checkpoint', trigger: 'session_end', isUrgent: true }, { kind: 'close-session' }],
    ])
  })

  test('every start opens a new epoch, so that recovery is owed again after compaction', () => {
    const { session } = play([
      anEvent('session-started'),
      anEvent('prompt-submitted'),
      anEvent('session-started', { source: 'compact' }),
    ])
    expect([session.epoch, session.recoveredEpoch, session.phase]).toEqual([2, 0, 'working'])
  })

  test('a subagent neither ends the turn nor counts as a prompt of the user', () => {
    const subagent = { id: 'a1', type: 'general-purpose' }
    const { session } = play([
      anEvent('prompt-submitted'),
      anEvent('prompt-submitted', { subagent }),
      anEvent('turn-ended', { subagent }),
    ])
    expect([session.phase, session.promptCount]).toEqual(['working', 1])
  })

  test('a session stays in the worktree where it began, and follows its branch there', () => {
    const place = (worktree: string, branch: string) => ({
      projectId: ProjectId('p'),
      project: worktree,
      projectNormalized: worktree,
      worktree,
      branch,
    })
    const first = advance(undefined, anEvent('session-started'), { seq: 1, cadence, location: place('/a', 'main') })
    const moved = advance(first.session, anEvent('tool-finished'), { seq: 2, cadence, location: place('/b', 'main') })
    const switched = advance(moved.session, anEvent('tool-finished'), {
      seq: 3,
      cadence,
      location: place('/a', 'topic'),
    })
    expect([moved.session.place?.worktree, switched.session.place?.branch]).toEqual(['/a', 'topic'])
  })
})

test('how full the context is follows what the harness says, of the main thread, and falls with a compaction that tells', () => {
  const full = anEvent('tool-finished', { context: { tokens: 180_000, windowTokens: 200_000 } })
  const inside = anEvent('tool-finished', { context: { tokens: 9_000 }, subagent: { id: 'a' } })
  const emptied = anEvent('compaction-finished', { tokensAfter: 12_000 })
  const sizes = (events: readonly SessionEvent[]) => {
    const { session } = play(events)
    return [session.contextTokens, session.contextWindowTokens]
  }
  expect(sizes([full, inside, anEvent('turn-ended')])).toEqual([180_000, 200_000])
  expect(sizes([full, emptied])).toEqual([12_000, 200_000])
  expect(sizes([anEvent('turn-ended')])).toEqual([undefined, undefined])
})

describe('for any sequence of events', () => {
  test('counts never fall, the phase is a known one, and an ended session stays ended until its harness speaks again', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 60 }), (events) => {
        let before: Session | undefined
        events.forEach((event, index) => {
          const { session } = advance(before, event, { seq: index + 1, cadence })
          expect(PHASES).toContain(session.phase)
          expect(session.lastEventSeq).toBe(index + 1)
          expect(session.promptCount).toBeGreaterThanOrEqual(before?.promptCount ?? 0)
          expect(session.epoch).toBeGreaterThanOrEqual(before?.epoch ?? 0)
          if (before?.phase === 'ended' && (event.door === 'transcript' || event.subagent !== undefined)) {
            expect(session.phase).toBe('ended')
          }
          before = session
        })
      }),
    )
  })

  test('the clock decides no order: the same events with other times end in the same phase and counts', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 40 }), (events) => {
        const still = events.map((event) => ({ ...event, at: '2026-01-02T00:00:00.000Z' }))
        const { session: jumping } = play(events)
        const { session: steady } = play(still)
        expect([jumping.phase, jumping.promptCount, jumping.epoch, jumping.toolCount]).toEqual([
          steady.phase,
          steady.promptCount,
          steady.epoch,
          steady.toolCount,
        ])
      }),
    )
  })
})
