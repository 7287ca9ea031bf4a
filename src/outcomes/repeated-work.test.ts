import { describe, expect, test } from 'vitest'
import { aWorkSummary } from '../../test/support/checkpoints.ts'
import { anEvent } from '../../test/support/events.ts'
import type { SessionEvent, ToolCall } from '../kernel/event.ts'
import { SessionId } from '../kernel/id.ts'
import { BEFORE_COMMAND, type Injection } from '../kernel/injection.ts'
import { measureRework } from './compute-outcome.ts'
import { createStartTracer } from './start-trace.ts'

function aTrace(events: readonly SessionEvent[]) {
  const tracing = createStartTracer('/project')
  ;[anEvent('session-started'), ...events].forEach((event, index) =>
    tracing.follow({ seq: index + 1, event, hash: '' }),
  )
  const [trace] = tracing.epochs()
  if (trace === undefined) throw new Error('nothing was traced')
  return trace
}

const call = (tool: Partial<ToolCall>) =>
  anEvent('tool-finished', { tool: { name: 'T', kind: 'other', files: [], ...tool } })
const reads = (path: string) => call({ kind: 'read', files: [{ path, action: 'read' }] })
const edits = (path: string) => call({ kind: 'edit', files: [{ path, action: 'edited' }] })
const runs = (command: string) => call({ kind: 'shell', command })

const file = (path: string, counts: { reads?: number; edits?: number } = { reads: 1 }) =>
  ({ path, action: 'read', reads: 0, edits: 0, lastOrder: 1, ...counts }) as const
const command = (text: string, purpose: 'test' | 'vcs' = 'test') =>
  ({ command: text, purpose, ok: true, runs: 1, failures: 0, lastOrder: 1 }) as const

const earlier = aWorkSummary({
  files: [file('a.ts'), file('b.ts', { edits: 1 }), file('merely-named.ts', {})],
  commands: [command('npm test'), command('git status', 'vcs')],
  decisions: [
    {
      decision: 'Keep the parser by hand',
      alternatives: ['generate the parser with peggy'],
      evidence: 'observed',
      lastOrder: 1,
    },
  ],
})

function rework(events: readonly SessionEvent[], lines: readonly string[] = [], how: Partial<Injection> = {}) {
  const injection: Injection = {
    sessionId: SessionId('s'),
    at: '',
    kind: 'recovery',
    epoch: 1,
    chars: 1,
    textHash: '',
    sources: [],
    reasons: lines.map((line) => ({ line, origin: '', reason: '' })),
    ...how,
  }
  return measureRework({ trace: aTrace(events), earlier, injections: [injection], getRereadState: () => 'unchanged' })
}

describe('files', () => {
  test('that the earlier session had read or written count once, others do not', () => {
    const { filesReread, ratio } = rework([
      reads('a.ts'),
      reads('a.ts'),
      reads('b.ts'),
      reads('new.ts'),
      reads('merely-named.ts'),
    ])
    expect(filesReread).toEqual([
      { path: 'a.ts', standing: 'unchanged', isEditedAfter: false },
      { path: 'b.ts', standing: 'unchanged', isEditedAfter: false },
    ])
    expect(ratio).toBe(0.5)
  })

  test('that this session changed first do not count; read before the edit they do, and are marked', () => {
    expect(rework([edits('a.ts'), reads('a.ts')]).filesReread).toEqual([])
    expect(rework([reads('a.ts'), edits('a.ts')]).filesReread).toEqual([
      { path: 'a.ts', standing: 'unchanged', isEditedAfter: true },
    ])
  })
})

describe('commands', () => {
  test('count when run before anything changed; git queries do not', () => {
    expect(rework([runs('git status'), runs('npm test'), runs('npm test')]).commandsRepeated).toEqual(['npm test'])
  })

  test('of one package are not those of another, nor of the root', () => {
    const placed = aWorkSummary({ commands: [command('(cd packages/a && npm test)')] })
    const repeated = (...lines: readonly string[]) =>
      measureRework({
        trace: aTrace(lines.map(runs)),
        earlier: placed,
        injections: [],
        getRereadState: () => 'unchanged',
      })
    expect(repeated('cd packages/b && npm test', 'npm test').commandsRepeated).toEqual([])
    expect(repeated('cd packages/a && npm test').commandsRepeated).toEqual(['(cd packages/a && npm test)'])
    expect(repeated('cd /project/packages/a && CI=1 npm test 2>&1 | tail').commandsRepeated).toEqual([
      '(cd packages/a && npm test)',
    ])
    expect(
      ['cd packages/a && npm test', 'cd packages/b && npm test'].map((line) => repeated(line).novel_context_count),
    ).toEqual([1, 0])
  })

  test('after an edit are a check, not a repetition', () => {
    expect(rework([edits('a.ts'), runs('npm test')]).commandsRepeated).toEqual([])
  })
})

describe('decisions', () => {
  test.each([
    ['decided again in other words', 'We keep parsing by hand, the parser stays', true],
    ['turned round for what was rejected', 'Generate the parser with peggy after all', true],
    ['about something else', 'Use tabs in every file', false],
  ])('%s', (_, decision, isReopened) => {
    const { decisionsReopened } = rework([anEvent('decision-made', { decision })])
    expect(decisionsReopened).toEqual(isReopened ? ['Keep the parser by hand'] : [])
  })
})

test('repeating an injected decision does not reopen it', () => {
  const again = anEvent('decision-made', { decision: 'Keep the parser by hand.' })
  const turned = anEvent('decision-made', { decision: 'Generate the parser with peggy after all' })
  const told = ['Keep the parser by hand because it is fast (claimed)']
  expect(rework([again]).decisionsReopened).toEqual(['Keep the parser by hand'])
  expect(rework([again], told).decisionsReopened).toEqual([])
  expect(rework([turned, again], told).decisionsReopened).toEqual(['Keep the parser by hand'])
})

describe('novel_context_count', () => {
  const needing = [anEvent('prompt-submitted', { prompt: 'You know, b.ts' }), reads('a.ts'), runs('npm test -- a')]

  test('counts what was known, not injected, and named by the user or looked up', () => {
    expect(rework(needing).novel_context_count).toBe(3)
  })

  test.each([
    ['a.ts', 2],
    ['./a.ts:12 and more', 2],
    ['data.ts', 3],
    ['lib/a.ts', 3],
    ['a.tsx', 3],
    ['a.ts.map', 3],
    ['`npm test -- b`', 2],
    ['`npm test:unit`', 3],
  ])('a line that says %s leaves %i', (line, count) => {
    expect(rework(needing, [line]).novel_context_count).toBe(count)
  })

  test('what was injected is not novel', () => {
    expect(rework(needing, ['a.ts', '`npm test`']).novel_context_count).toBe(1)
    expect(rework(needing, ['a.ts', 'b.ts', '`npm test`']).novel_context_count).toBe(0)
  })
})

test.each<[string, Partial<Injection>]>([
  ['a compaction hint says', { kind: 'compaction-advice' }],
  ['the loop breaker says', { kind: 'notice' }],
  [
    'stood before the command itself',
    { kind: 'memories', reasons: [{ line: '`npm test` failed', section: BEFORE_COMMAND, origin: '', reason: '' }] },
  ],
])('what %s was not injected in time', (_, how) => {
  expect(rework([runs('npm test')], ['`npm test`'], { kind: 'memories' }).novel_context_count).toBe(0)
  expect(rework([runs('npm test')], ['`npm test`'], how).novel_context_count).toBe(1)
})

test('a session that read, ran and decided nothing has no ratio', () => {
  expect(rework([])).toEqual({ filesReread: [], commandsRepeated: [], decisionsReopened: [], novel_context_count: 0 })
})
