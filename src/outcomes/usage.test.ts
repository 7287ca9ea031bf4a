import { expect, test } from 'vitest'
import { anEvent } from '../../test/support/events.ts'
import type { ToolCall } from '../kernel/event.ts'
import { SessionId } from '../kernel/id.ts'
import { BEFORE_COMMAND, type Injection, type LineReason } from '../kernel/injection.ts'
import { createStartTracer } from './start-trace.ts'
import { labelSections, measureUse } from './usage.ts'

function aTrace(tools: readonly Partial<ToolCall>[], at = '2026-01-02T03:04:05.000Z') {
  const tracing = createStartTracer('/project')
  const calls = tools.map((tool) =>
    anEvent('tool-finished', { at, tool: { name: 'T', kind: 'other', files: [], ...tool } }),
  )
  ;[anEvent('session-started'), ...calls].forEach((event, index) => tracing.follow({ seq: index + 1, event, hash: '' }))
  const [trace] = tracing.epochs()
  if (trace === undefined) throw new Error('nothing was traced')
  return trace
}

function told(reasons: readonly Partial<LineReason>[], injection: Partial<Injection> = {}): Injection {
  return {
    sessionId: SessionId('claude-code/session-1'),
    at: '2026-01-02T03:04:00.000Z',
    kind: 'recovery',
    epoch: 1,
    chars: 10,
    textHash: 'h',
    sources: [],
    reasons: reasons.map((reason) => ({ line: '', origin: 'x', reason: 'y', ...reason })),
    ...injection,
  }
}

const trace = aTrace([
  { kind: 'read', files: [{ path: '/project/src/lexer.ts', action: 'read' }] },
  { kind: 'shell', command: 'npm test -- lexer' },
  { kind: 'search', query: 'readToken' },
])

test.each<[string, Partial<LineReason>, object]>([
  ['a file that is opened', { section: 'read', line: 'src/lexer.ts' }, { status: 'used', afterCalls: 1 }],
  ['a file that is not', { section: 'read', line: 'src/parser.ts' }, { status: 'not-used' }],
  [
    'a command that is run with other arguments',
    { section: 'commands', line: '`npm test` (failed)' },
    { status: 'used', afterCalls: 2 },
  ],
  ['a command that is not run', { section: 'commands', line: '`npm run build`' }, { status: 'not-used' }],
  ['a name that is searched for', { section: 'identifiers', line: 'readToken' }, { status: 'used', afterCalls: 3 }],
  ['a name that only looks like it', { section: 'identifiers', line: 'readTokens' }, { status: 'not-used' }],
  [
    'a sentence that names a file by its last part',
    { section: 'next', line: 'go on in lexer.ts' },
    { status: 'used', afterCalls: 1 },
  ],
  ['a sentence that names nothing', { section: 'goal', line: 'make it fast' }, { status: 'cannot-tell' }],
  [
    'what was tried and failed, and is tried again all the same',
    { section: 'failed', line: '`npm test` failed 3 times in a row' },
    { status: 'cannot-tell' },
  ],
  ['why a session speaks', { line: '' }, { status: 'cannot-tell' }],
])('%s', (_, reason, use) => {
  expect(measureUse(told([reason]), trace).lines).toEqual([use])
})

const inPackage = aTrace([{ kind: 'shell', command: 'cd packages/a && npm test' }])
test.each<[string, Partial<LineReason>, object]>([
  [
    'a command of the folder where it is run',
    { section: 'commands', line: '`(cd packages/a && npm test -- x)` (failed)' },
    { status: 'used', afterCalls: 1 },
  ],
  [
    'a command of another folder',
    { section: 'commands', line: '`(cd packages/b && npm test)`' },
    { status: 'not-used' },
  ],
  ['a command of the root', { section: 'commands', line: '`npm test`' }, { status: 'not-used' }],
  [
    'a sentence that names a command and no folder',
    { section: 'next', line: 'run `npm test` again' },
    { status: 'used', afterCalls: 1 },
  ],
  [
    'a sentence that names another folder',
    { section: 'next', line: 'run `(cd packages/b && npm test)` again' },
    { status: 'not-used' },
  ],
])('with folders: %s', (_, reason, use) => {
  expect(measureUse(told([reason]), inPackage).lines).toEqual([use])
})

test('the use of a compaction hint cannot be observed', () => {
  const advice = told([{ section: 'read', line: 'src/lexer.ts' }], { kind: 'compaction-advice' })
  expect(measureUse(advice, trace).lines).toEqual([{ status: 'cannot-tell' }])
})

test('running the command after a warning does not count as using the warning', () => {
  const line = { section: BEFORE_COMMAND, line: 'Tried, failed: `npm test` failed 3 times in a row' }
  expect(measureUse(told([line], { kind: 'memories' }), trace).lines).toEqual([{ status: 'cannot-tell' }])
  const round = { line: '`npm test` failed 3 times in a row in this session' }
  expect(measureUse(told([round], { kind: 'notice' }), trace).lines).toEqual([{ status: 'cannot-tell' }])
})

test('only calls after the prompt can use what was injected there', () => {
  const line = { section: 'read', line: 'src/lexer.ts' }
  const late = told([line], { kind: 'memories', at: '2026-01-02T04:00:00.000Z' })
  expect(measureUse(late, trace).lines).toEqual([{ status: 'not-used' }])
})

const SHOWN = ['src/lexer.ts', 'src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts', 'src/e.ts']

test('a start has at most three votes for a section', () => {
  const injection = told(SHOWN.map((line) => ({ section: 'read', line })))
  const labels = labelSections([injection], [measureUse(injection, trace)], 5)
  expect(labels).toEqual([{ section: 'read', shown: 3, used: 0.5 }])
})

test('a start with few calls has no vote, and neither have memories', () => {
  const injection = told([{ section: 'read', line: 'src/lexer.ts' }])
  expect(labelSections([injection], [measureUse(injection, trace)], 4)).toEqual([])
  const memories = { ...injection, kind: 'memories' } as const
  expect(labelSections([memories], [measureUse(memories, trace)], 5)).toEqual([])
})

test('use after the watched calls does not count', () => {
  const idle = Array.from({ length: 40 }, (): Partial<ToolCall> => ({ kind: 'read' }))
  const long = aTrace([...idle, { kind: 'read', files: [{ path: 'src/lexer.ts', action: 'read' }] }])
  const injection = told([{ section: 'read', line: 'src/lexer.ts' }])
  const use = measureUse(injection, long)
  expect(use.lines).toEqual([{ status: 'used', afterCalls: 41 }])
  expect(labelSections([injection], [use], 41)).toEqual([{ section: 'read', shown: 1, used: 0 }])
})
