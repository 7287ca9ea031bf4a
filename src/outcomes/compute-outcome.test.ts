import { expect, test } from 'vitest'
import { anEvent } from '../../test/support/events.ts'
import { ProjectId, SessionKey, toSessionId } from '../kernel/id.ts'
import type { Injection } from '../kernel/injection.ts'
import { advance } from '../kernel/session.ts'
import { computeOutcome } from './compute-outcome.ts'
import { createStartTracer } from './start-trace.ts'

const START = Date.parse('2026-01-02T03:00:00.000Z')
const place = { projectId: ProjectId('p'), project: '/project', projectNormalized: '/project', worktree: '/project' }

type Step = readonly ['prompt' | 'read' | 'edit', number]

/** The outcome of a start after which these events happened, each so many seconds later. */
function outcomeAfter(steps: readonly Step[], injections: readonly Injection[] = []) {
  const started = anEvent('session-started', { at: new Date(START).toISOString(), source: 'compact' })
  const events = steps.map(([what, seconds]) => {
    const at = new Date(START + seconds * 1_000).toISOString()
    if (what === 'prompt') return anEvent('prompt-submitted', { at })
    const files = [{ path: '/project/src/a.ts', action: what === 'edit' ? 'edited' : 'read' }] as const
    return anEvent('tool-finished', { at, tool: { name: 'T', kind: what, files } })
  })
  const tracing = createStartTracer(place.worktree)
  ;[started, ...events].forEach((event, index) => tracing.follow({ seq: index + 1, event, hash: '' }))
  const [trace] = tracing.epochs()
  if (trace === undefined) throw new Error('nothing was traced')
  const cadence = { promptInterval: 5, timeIntervalMs: 60_000 }
  const { session } = advance(undefined, started, { seq: 1, location: place, cadence })
  return computeOutcome({ session, place, epoch: 1, trace, injections, getRereadState: () => 'cannot-tell' })
}

test.each<[string, readonly Step[], number, number]>([
  [
    'is counted from the prompt that asked for the work',
    [
      ['prompt', 60],
      ['read', 70],
      ['edit', 75],
    ],
    1,
    15_000,
  ],
  [
    'is counted from the start where nobody had to ask',
    [
      ['read', 5],
      ['edit', 8],
    ],
    1,
    8_000,
  ],
  [
    'is not undone by a prompt that comes after it',
    [
      ['edit', 8],
      ['prompt', 60],
    ],
    0,
    8_000,
  ],
  [
    'is counted from the start where work went on before a prompt',
    [
      ['read', 5],
      ['prompt', 60],
      ['edit', 61],
    ],
    1,
    61_000,
  ],
])('the first edit %s', (_, steps, calls, ms) => {
  const receipt = outcomeAfter(steps)
  expect([receipt.callsToFirstEdit, receipt.msToFirstEdit]).toEqual([calls, ms])
})

test('without an edit the figure is absent', () => {
  const receipt = outcomeAfter([['read', 5]])
  expect(receipt).toMatchObject({ sessionId: toSessionId('claude-code', SessionKey('session-1')), calls: 1 })
  expect([receipt.callsToFirstEdit, receipt.msToFirstEdit]).toEqual([undefined, undefined])
})

test('only a recovery makes a start warm', () => {
  const injection = { at: '', epoch: 1, chars: 9, textHash: 'h', sources: [], reasons: [] }
  const isWarm = (kind: Injection['kind']) =>
    outcomeAfter(
      [['read', 5]],
      [{ ...injection, kind, sessionId: toSessionId('claude-code', SessionKey('session-1')) }],
    ).isWarm
  expect([isWarm('recovery'), isWarm('memories'), isWarm('notice'), isWarm('compaction-advice')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})
