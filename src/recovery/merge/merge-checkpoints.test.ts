import { describe, expect, test } from 'vitest'
import { aCheckpointOf, aWorkSummary } from '../../../test/support/checkpoints.ts'
import { SessionId } from '../../kernel/id.ts'
import { mergeCheckpoints } from './merge-checkpoints.ts'

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
    const view = mergeCheckpoints([end, periodic])
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
    const { work } = mergeCheckpoints([newer, older])
    expect([work.files, work.todos]).toEqual([[{ ...file('a.ts', 8), edits: 4 }], []])
  })

  test('the steps, the status and the push of the newest stay beside older checkpoints', () => {
    const seen = {
      steps: [{ kind: 'edit' as const, what: 'a.ts', ok: true, order: 12 }],
      gitStatus: { changed: ['a.ts'], untracked: [], order: 11 },
      lastPushOrder: 10,
    }
    const newest = aCheckpointOf({ ...seen, lastOrder: 12 })
    const { steps, gitStatus, lastPushOrder } = mergeCheckpoints([newest, aCheckpointOf({ lastOrder: 5 })]).work
    expect({ steps, gitStatus, lastPushOrder }).toEqual(seen)
  })

  test('an earlier session of the lineage lies before the newer one, whatever its own count', () => {
    const before = aCheckpointOf(
      { files: [file('old.ts', 90)], lastOrder: 100 },
      { sessionId: SessionId('claude-code/session-0') },
    )
    const now = aCheckpointOf({ files: [file('new.ts', 2)], lastOrder: 3 })
    expect(mergeCheckpoints([now, before]).work.files).toEqual([file('old.ts', -10), file('new.ts', 2)])
  })

  test('what an earlier session changed stays changed when a later one only read it', () => {
    const before = aCheckpointOf(
      { files: [{ ...file('a.ts', 90), edits: 3 }], lastOrder: 100 },
      { sessionId: SessionId('claude-code/session-0') },
    )
    const read = { ...file('a.ts', 2), action: 'read' as const, edits: 0, reads: 1, contentHash: 'now' }
    const now = aCheckpointOf({ files: [read], lastOrder: 3 })
    expect(mergeCheckpoints([now, before]).work.files).toEqual([
      { ...read, action: file('a.ts', 0).action, edits: 3, lastEditOrder: -10 },
    ])
    const earlier = aCheckpointOf({ files: [{ ...file('a.ts', 1), edits: 3 }], lastOrder: 1 })
    expect(mergeCheckpoints([now, earlier]).work.files).toEqual([read])
  })

  test('a failure of an earlier session is settled once the same command succeeded in a later one', () => {
    const run = (command: string, ok: boolean) =>
      ({ command, purpose: 'test', ok, runs: 1, failures: ok ? 0 : 1, lastOrder: 2 }) as const
    const red = (command: string) => ({ name: command, status: 'failing', command, lastOrder: 2 }) as const
    const error = (command: string) => ({ text: command, signature: command, count: 1, command, lastOrder: 2 })
    const claim = (command: string) =>
      ({
        text: 'Done.',
        evidence: 'claimed',
        contradictedBy: `\`${command}\` failed when it last ran`,
        lastOrder: 2,
      }) as const
    const before = aCheckpointOf(
      {
        commands: [run('npm test', false), run('npm run e2e', false)],
        tests: [red('npm test'), red('npm run e2e')],
        errors: [error('npm test'), error('npm run e2e')],
        failedApproaches: ['`npm test` failed 3 times in a row', '`npm run e2e` failed 3 times in a row'],
        claims: [claim('npm test'), claim('npm run e2e')],
        lastOrder: 2,
      },
      { sessionId: SessionId('claude-code/session-0') },
    )
    const now = aCheckpointOf({ commands: [run('npm test', true)], lastOrder: 3 })
    const { work } = mergeCheckpoints([now, before])
    expect(work.tests.map(({ command }) => command)).toEqual(['npm run e2e'])
    expect(work.errors.map(({ command, resolution }) => [command, resolution])).toEqual([
      ['npm test', 'went away in a later session'],
      ['npm run e2e', undefined],
    ])
    expect(work.failedApproaches).toEqual(['`npm run e2e` failed 3 times in a row'])
    expect(work.claims?.map(({ contradictedBy }) => contradictedBy)).toEqual(['`npm run e2e` failed when it last ran'])
  })

  test('green results of one command do not hide red ones of another from an earlier session', () => {
    const result = (command: string, status: 'passing' | 'failing') => ({
      name: command,
      status,
      command,
      lastOrder: 2,
    })
    const before = aCheckpointOf(
      { tests: [result('pytest a.py', 'failing')], lastOrder: 2 },
      { sessionId: SessionId('claude-code/session-0') },
    )
    const now = aCheckpointOf({ tests: [result('pytest b.py', 'passing')], lastOrder: 3 })
    expect(mergeCheckpoints([now, before]).work.tests).toEqual([
      { ...result('pytest a.py', 'failing'), lastOrder: 0 },
      result('pytest b.py', 'passing'),
    ])
  })

  test('what the agent wrote leads', () => {
    const written = aCheckpointOf(
      {},
      { trigger: 'agent', summary: 'Parser done, printer next.', nextAction: 'Write it' },
    )
    const view = mergeCheckpoints([aCheckpointOf({}, { trigger: 'session_end' }), written])
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
    expect(mergeCheckpoints([later, written]).written).toBeUndefined()
  })

  test('no checkpoint at all gives a view without an origin', () => {
    expect(mergeCheckpoints([])).toMatchObject({ origin: undefined, sources: [] })
  })
})

test('a server of an earlier session is known by its port, unless the later session has that port or it has none', () => {
  const server = (port: number | undefined, what: string) =>
    ({ kind: 'server', what, order: 1, ...(port === undefined ? {} : { port }) }) as const
  const at = (session: string, ...inFlight: readonly ReturnType<typeof server>[]) =>
    aCheckpointOf({ inFlight, lastOrder: 2 }, { sessionId: SessionId(session) })
  const view = mergeCheckpoints([
    at('new', server(3000, 'npm run dev')),
    at('old', server(3000, 'npm start'), server(5432, 'postgres'), server(undefined, 'hugo server')),
    at('old', server(9000, 'ended in its later checkpoint')),
  ])
  expect([view.work.inFlight?.map(({ what }) => what), view.earlierServers?.map(({ what }) => what)]).toEqual([
    ['npm run dev'],
    ['postgres'],
  ])
})
