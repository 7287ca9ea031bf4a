import { NOTHING_ERASED } from '../../src/kernel/archive.ts'
import { expect, test } from 'vitest'
import { createRemoteContinuity } from '../../src/client/remote-continuity.ts'
import type { Continuity } from '../../src/app/continuity.ts'
import { HoldfastError } from '../../src/kernel/errors.ts'
import { CheckpointId, MemoryId, ProjectId, SessionId, SessionKey } from '../../src/kernel/id.ts'
import type { Injection } from '../../src/kernel/injection.ts'
import type { Memory } from '../../src/kernel/memory.ts'
import { startDaemon } from '../../src/daemon/start.ts'
import { aSession, daemonOptions, fakeBackend, fakeContinuityApp, temporaryHome } from '../support/daemon-setup.ts'
import { anEvent } from '../support/events.ts'
import { createLedgerEntry, sumTotals } from '../../src/outcomes/ledger.ts'
import { compareStarts, countSectionUse } from '../../src/outcomes/stats.ts'
import { aReceipt } from './store-contract-start-outcomes.ts'
import { aCheckpoint, aRule } from './store-examples.ts'

const injection: Injection = {
  sessionId: SessionId('claude-code/s'),
  at: '2026-01-01T00:00:00.000Z',
  kind: 'recovery',
  epoch: 1,
  chars: 4,
  textHash: 'h',
  sources: ['c'],
  reasons: [{ line: 'l', origin: 'o', reason: 'r', verdict: 'holds' }],
}

const memory: Memory = {
  id: MemoryId('m/1?&'),
  projectId: ProjectId('p'),
  type: 'decision',
  content: 'Tabs, ünd € too.',
  importance: 5,
  tags: ['a'],
  source: 'cli',
  createdAt: '2026-01-01T00:00:00.000Z',
  hits: 0,
}

const receipt = aReceipt('s')
const entry = createLedgerEntry({ ...injection, seq: 1 }, aSession(), [receipt])

/** One call of each use case, as an entry point would make it. */
const calls: { readonly [Name in keyof Continuity]: Parameters<Continuity[Name]> } = {
  record: [anEvent('prompt-submitted')],
  recordAll: [[anEvent('session-started'), anEvent('tool-finished')]],
  inject: [{ event: anEvent('session-started'), maxChars: 9_500 }],
  confirmInjection: [injection],
  checkpoint: [SessionId('claude-code/s'), 'explicit'],
  listCheckpoints: [
    {
      project: '/a b/ü',
      branch: 'x/y',
      excludeSessions: [SessionId('claude-code/1'), SessionId('claude-code/2')],
      limit: 7,
    },
  ],
  getCheckpoint: [CheckpointId('cp-1/ü')],
  deleteCheckpoint: [CheckpointId('cp-1/../x')],
  previewRecovery: [
    {
      cwd: '/work dir/&=',
      harness: 'claude-code',
      sessionKey: SessionKey('k#1'),
      isResumed: true,
      restChars: 900,
      restOf: SessionKey('k / 2'),
    },
  ],
  listCheckpointHeads: [{ cwd: '/w', sessionKey: SessionKey('k'), trigger: 'agent', beforeSeq: 4, limit: 2 }],
  listSessions: [{ cwd: '/w', phases: ['idle', 'working'], afterSession: SessionId('s'), limit: 3 }],
  getSession: [SessionKey('key / with ? marks'), 'claude-code'],
  labelSession: [{ sessionKey: SessionKey('k / 1'), title: 'Ä', addTags: ['x'], isPinned: true }],
  readSession: [{ sessionKey: SessionKey('k'), harness: 'codex', afterSeq: 3, limit: 9 }],
  reopenCommand: [SessionKey('k'), 'codex'],
  explain: [{ sessionKey: SessionKey('k') }],
  listEvents: [{ afterSeq: 3, sessionId: SessionId('claude-code/s'), kinds: ['prompt-submitted'], limit: 10 }],
  stats: [{ cwd: '/w dir', limit: 5 }],
  sessionReceipts: [SessionKey('k / ?'), 'claude-code'],
  ledger: [{ sessionKey: SessionKey('k'), cwd: '/w', kind: 'recovery', includeSkipped: true, beforeSeq: 8, limit: 9 }],
  remember: [{ content: 'Tabs.', cwd: '/w', source: 'cli', type: 'decision', tags: ['x'] }],
  recall: [{ cwd: '/w', text: 'which tabs?', types: ['decision', 'fact'], limit: 4 }],
  listMemories: [{ cwd: '/w', types: ['decision', 'fact'], limit: 2 }],
  forget: [MemoryId('m-1'), '/project'],
  find: [{ text: 'ü words', cwd: '/w', kinds: ['request', 'memory'], since: '2026-01', offset: 3, limit: 9 }],
  erase: [{ session: SessionKey('k / 1'), isPreview: true }],
  getMemory: [MemoryId('m'), '/w'],
  editMemory: [{ id: MemoryId('m / 1'), cwd: '/w', content: 'Spaces.', tags: ['a'], isPinned: false }],
  forgetMemories: [{ cwd: '/w', text: 'tabs', ids: [MemoryId('m')], isPreview: true }],
  restoreMemories: [{ ids: [MemoryId('m')] }],
  listDrafts: [{ cwd: '/w', states: ['proposed', 'forgotten'] }],
  reviewDraft: [{ id: MemoryId('m'), action: 'approve', content: 'Tabs.' }],
  listRules: [{ cwd: '/w', includeRetired: true }],
  addRule: [{ text: 'Use tabs.', cwd: '/w', isProposal: true }],
  changeRule: [{ id: 'rule-1', cwd: '/w', text: 'Use spaces.', state: 'retired' }],
  importHistory: [
    {
      harness: 'claude-code',
      sessionKey: SessionKey('k'),
      cwd: '/w',
      gitBranch: 'main',
      upTo: 12,
      items: [
        { type: 'event', event: anEvent('prompt-submitted') },
        { type: 'note', note: { kind: 'statement', text: 'said' } },
      ],
      isLast: true,
    },
  ],
  exportRecords: [{ cwd: '/w', position: 'memory\n200' }],
  readTeam: [],
  listTeamSessions: [{ cwd: '/w', limit: 3 }],
  takeWork: [{ cwd: '/w', sessionKey: SessionKey('k / 1'), harness: 'codex' }],
  undoTakeWork: [{ cwd: '/w' }],
  shareMemory: [{ id: MemoryId('m'), cwd: '/w', isShared: true }],
  importRecords: [{ records: [{ kind: 'memory', value: memory }] }],
  receiveHandoff: [{ cwd: '/w', checkpoint: aCheckpoint('s'), digest: 'a'.repeat(64), signedBy: 'b'.repeat(64) }],
  locate: ['/some where'],
  sightings: ['claude-code'],
  counts: [],
  listRemovals: [{ beforeSeq: 9, limit: 5 }],
  tokenUsage: [{ cwd: '/a b', days: 30 }],
  hindsight: [{ cwd: '/w', limit: 3 }],
}

const stored = { checkpoint: aCheckpoint('s'), seq: 3, hash: 'abc' }
const head = {
  id: CheckpointId('c'),
  seq: 3,
  sessionId: SessionId('s'),
  sessionKey: SessionKey('k'),
  harness: 'codex',
  projectId: ProjectId('p'),
  project: '/w',
  worktree: '/w',
  branch: 'main',
  trigger: 'agent' as const,
  name: 'n',
  summary: 's',
  promptCount: 1,
  eventSeq: 2,
  createdAt: '2026-01-01T00:00:00.000Z',
}

/** What the app behind the API answers; the client must return exactly that. */
const answers: { readonly [Name in keyof Continuity]: Awaited<ReturnType<Continuity[Name]>> } = {
  record: { seq: 1, isNew: true, session: aSession() },
  recordAll: [
    { seq: 1, isNew: true, session: aSession() },
    { seq: 2, isNew: false, session: aSession() },
  ],
  inject: { text: 'text ü', injection },
  confirmInjection: undefined,
  checkpoint: stored,
  listCheckpoints: [stored],
  listCheckpointHeads: [head],
  getCheckpoint: stored,
  deleteCheckpoint: undefined,
  listRemovals: {
    removals: [
      {
        seq: 4,
        at: '2026-01-01T00:00:00.000Z',
        sessionId: SessionId('s'),
        sessionKey: SessionKey('k'),
        harness: 'codex',
        cwd: '/w',
        kinds: [{ kind: 'github-token', count: 2 }],
      },
    ],
    scanned: 5,
    next: 4,
  },
  tokenUsage: {
    days: [
      {
        day: '2026-01-01',
        harness: 'codex',
        sessions: 1,
        messages: 2,
        input: 3,
        output: 4,
        cacheRead: 5,
        cacheWrite: 6,
      },
    ],
    sessionsRead: 1,
    sessionsSkipped: 0,
  },
  hindsight: [{ session: aSession(), recovery: { text: 'block', sources: [], reasons: [], offered: [] } }],
  previewRecovery: { text: 'block', sources: [CheckpointId('c')], reasons: [], offered: [], leftOut: 2 },
  listSessions: [aSession()],
  getSession: aSession(),
  labelSession: { ...aSession(), labels: { title: 'Ä', tags: ['x'], isPinned: true } },
  readSession: [{ seq: 4, at: '2026-01-01T00:00:00.000Z', kind: 'command', text: 'npm test', ok: true, files: ['a'] }],
  reopenCommand: {
    harness: 'codex',
    sessionKey: SessionKey('k'),
    cwd: '/w',
    command: ['codex', 'resume', 'k'],
    text: 't',
  },
  explain: {
    session: aSession(),
    injections: [injection],
    prompts: [
      {
        at: '2026-01-02T03:04:05.000Z',
        prompt: 'why?',
        isOn: true,
        memories: [{ id: MemoryId('m'), content: 'c', share: 0.5, outcome: 'below-bar', reason: 'r' }],
      },
    ],
  },
  listEvents: [{ seq: 4, event: anEvent('prompt-submitted'), hash: 'h' }],
  stats: {
    projects: [
      { projectId: ProjectId('p'), worktree: '/w', comparisons: compareStarts([receipt])[0]?.comparisons ?? [] },
    ],
    receipts: [receipt],
    digests: { requests: 2, followed: 1, startsWith: { starts: 1 }, startsWithout: { starts: 0 } },
    pendingSessions: 3,
    scorer: { isEnabled: true, sections: countSectionUse([receipt], []) },
  },
  sessionReceipts: [receipt],
  ledger: { entries: [entry], totals: sumTotals([entry]), next: 7 },
  remember: memory,
  recall: [{ memory, score: 1.5, coverage: 0.5, relevance: 0.4 }],
  listMemories: [memory],
  forget: undefined,
  find: {
    hits: [{ kind: 'memory', project: '/w', projectId: ProjectId('p'), at: 'x', text: 't', matched: ['a'], ref: 'm' }],
    facets: { project: [{ value: 'p', label: '/w', count: 1 }], harness: [], kind: [], month: [] },
    isComplete: true,
  },
  erase: { ...NOTHING_ERASED, sessions: 1 },
  getMemory: {
    memory,
    checks: [{ anchor: { kind: 'file', name: 'a.ts', hash: 'h' }, state: 'changed' }],
    history: [memory],
  },
  editMemory: memory,
  forgetMemories: [memory],
  restoreMemories: [memory],
  listDrafts: [{ state: 'proposed', at: 'x', memory }],
  reviewDraft: { state: 'rejected', at: 'x', memory },
  listRules: [aRule('Use tabs.')],
  addRule: aRule('Use tabs.', { sessionId: SessionId('claude-code/s'), supersededBy: 'rule-2' }),
  changeRule: aRule('Use spaces.', { state: 'retired', retiredAt: '2026-01-02T03:04:05.000Z' }),
  importHistory: { standing: 'over', upTo: 12, kept: 1 },
  exportRecords: { records: [{ kind: 'memory', value: memory }], position: 'rule\n0' },
  readTeam: {
    people: [{ id: 'p1', name: 'ann', isYou: true, sharedMemories: 1 }],
    machines: [
      { id: 'desk', name: 'desk', person: 'p1', isHere: true, keyFingerprint: 'k', sessions: 1, lastActiveAt: 'x' },
    ],
    shared: [{ memory, author: 'p1', machine: 'desk', folder: '/w', isHere: true }],
  },
  listTeamSessions: [{ session: aSession(), machine: 'desk', author: 'ann', mayStillRun: true, isTaken: false }],
  takeWork: { session: aSession(), machine: 'desk', mayStillRun: false, isTaken: true },
  undoTakeWork: true,
  shareMemory: { ...memory, scope: 'team' },
  importRecords: { stored: 1, known: 0, refused: 0, authors: [], newMachines: [] },
  receiveHandoff: stored,
  locate: { projectId: ProjectId('p'), project: '/w', projectNormalized: '/w', worktree: '/w', branch: 'main' },
  sightings: [{ harness: 'claude-code', harnessVersion: '2', hook: 'Stop', count: 1, lastSeenAt: 'x' }],
  counts: { events: 1, sessions: 2, checkpoints: 3, memories: 4 },
}

async function serve(overrides: Parameters<typeof fakeContinuityApp>[0]) {
  const place = temporaryHome()
  const result = await startDaemon(
    daemonOptions(place.home, { openApp: async () => fakeBackend(fakeContinuityApp(overrides)) }),
  )
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const remote = createRemoteContinuity({ home: place.home, env: {}, script: '/nowhere/daemon.js' })
  return {
    remote,
    async [Symbol.asyncDispose]() {
      await result.daemon.stop('the test is over')
      await place[Symbol.asyncDispose]()
    },
  }
}

const names = Object.keys(calls).filter((name): name is keyof Continuity => name in calls)

test.each(names)('%s says over the socket what it says in the process', async (name) => {
  const heard: unknown[] = []
  const listening: unknown = async (...args: unknown[]) => {
    heard.push(args)
    return answers[name]
  }
  // `record` is called for several routes.
  const engineName = name === 'record' ? 'recordAll' : name
  const answer: unknown =
    name === 'record'
      ? async (...args: unknown[]) => {
          heard.push(args)
          return [answers.record]
        }
      : listening
  await using at = await serve({ [engineName]: answer })
  const call: unknown = at.remote[name]
  if (typeof call !== 'function') throw new Error('unreachable')
  expect(await call(...calls[name])).toEqual(answers[name])
  const expected: readonly unknown[] = name === 'record' ? [[...calls.record]] : calls[name]
  expect(heard).toEqual([expected])
})

test('a refusal arrives as the error it was, with its code and hint', async () => {
  await using at = await serve({
    getSession: () => Promise.reject(new HoldfastError('conflict', 'Two harnesses know k.', { hint: 'Name one.' })),
  })
  await expect(at.remote.getSession(SessionKey('k'))).rejects.toMatchObject({
    name: 'HoldfastError',
    code: 'conflict',
    message: 'Two harnesses know k.',
    hint: 'Name one.',
  })
})

test('more events than one request takes are sent in order, in several', async () => {
  const sizes: number[] = []
  await using at = await serve({
    recordAll: async (events) => {
      sizes.push(events.length)
      return events.map((_event, index) => ({ seq: index + 1, isNew: true, session: aSession() }))
    },
  })
  const events = Array.from({ length: 700 }, () => anEvent('prompt-submitted', { prompt: 'x'.repeat(2_000) }))
  expect((await at.remote.recordAll(events)).length).toBe(700)
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(700)
})
