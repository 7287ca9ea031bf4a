import { expect, test } from 'vitest'
import { createRemoteAgentApi } from '../../src/client/remote-continuity.ts'
import type { CheckedSummary, ResolvedProject, IntentWithLiveness } from '../../src/kernel/agent-records.ts'
import type { AgentApi } from '../../src/app/agent-api.ts'
import { HoldfastError } from '../../src/kernel/errors.ts'
import { CheckpointId, ProjectId, SessionId, SessionKey } from '../../src/kernel/id.ts'
import { startDaemon } from '../../src/daemon/start.ts'
import { daemonOptions, fakeBackend, fakeAgentApi, fakeContinuityApp, temporaryHome } from '../support/daemon-setup.ts'

const AT = '2026-01-01T00:00:00.000Z'
const projectId = ProjectId('p')

const project: ResolvedProject = {
  name: 'web',
  rootPath: '/w',
  worktree: '/w',
  projectId,
  keywords: ['site'],
  isRegistered: true,
  isOnDisk: true,
  matchedBy: 'name',
}
const registered = { name: 'web', rootPath: '/w', projectId, keywords: ['site'], addedAt: AT }
const { standing, ...intent }: IntentWithLiveness = {
  id: 'i/1',
  projectId,
  worktree: '/w',
  sessionLabel: 'one',
  sessionId: SessionId('claude-code/one'),
  intent: 'ünd €',
  files: ['a,b.ts', 'src/**'],
  startedAt: AT,
  completedAt: AT,
  outcome: 'done',
  standing: 'live',
}
const conflicts = [{ intent: { ...intent, standing }, files: ['src/**'], isSameWorktree: false }]
const summary: CheckedSummary = {
  id: 's',
  projectId,
  worktree: '/w',
  sessionLabel: 'one',
  summary: 'said\nso',
  filesChanged: ['a'],
  entitiesRegistered: ['b'],
  checklistProgress: { c: 'done' },
  savedAt: AT,
  doubts: [{ claim: 'a', because: 'b' }],
}
const entity = {
  projectId,
  name: 'n',
  type: 'class',
  file: 'f',
  line: 3,
  lastSeenAt: AT,
  origin: 'index',
  state: 'moved',
  foundAt: { file: 'g', line: 4 },
} as const
const item = { id: 'i', section: 's', text: 't', status: 'done', line: 2, note: 'n' } as const

const record = {
  itemId: 'i',
  section: 's',
  text: 't',
  status: 'verified',
  note: 'n',
  by: 'cli',
  at: AT,
  run: { command: 'c', ok: true, exitStatus: 0, expect: 'e', isMatched: true, output: 'o', at: AT, durationMs: 3 },
} as const

/** One call of each use case, as an entry point would make it. */
const calls: { readonly [Name in keyof AgentApi]: Parameters<AgentApi[Name]> } = {
  registerProject: [{ name: 'web', rootPath: '/w' }],
  listProjects: [],
  addProjectKeyword: [{ project: 'web', keyword: 'site' }],
  resolveProject: [{ project: 'we b/&?', cwd: '/w ü' }],
  recordIntent: [{ cwd: '/w', intent: 'x', files: ['a,b.ts'], sessionLabel: 'one', harness: 'claude-code' }],
  completeIntent: [{ cwd: '/w', sessionLabel: 'one', outcome: '' }],
  listIntents: [{ cwd: '/w', includeCompleted: true, limit: 3 }],
  findConflicts: [{ cwd: '/w', files: ['a'], sessionLabel: 'one' }],
  listObservedEdits: [{ cwd: '/w' }],
  registerEntity: [{ cwd: '/w', name: 'n', type: 'class', file: 'f', line: 3 }],
  listEntities: [{ cwd: '/w', type: 'class', name: 'a & b', limit: 7 }],
  forgetEntity: [{ cwd: '/w', name: 'n', type: 'class' }],
  saveSummary: [{ cwd: '/w', summary: 's', filesChanged: ['a'], checklistProgress: { c: 'done' }, outcome: 'ok' }],
  checkClaims: [{ cwd: '/w', text: 'It is in src/a.ts.', sessionId: SessionId('claude-code/one') }],
  recentSessions: [{ cwd: '/w', limit: 2 }],
  searchHistory: [{ cwd: '/w', text: 'a & b', limit: 4, sessionKey: 'one', harness: 'claude-code' }],
  readChecklist: [{ cwd: '/w' }],
  markItem: [{ cwd: '/w', item: 'i', status: 'blocked', note: 'n', sessionLabel: 'one' }],
  saveNamed: [
    {
      cwd: '/w',
      name: 'a-b',
      door: 'cli',
      task: 't',
      progress: ['p'],
      nextAction: 'n',
      waitingFor: 'w',
      blockers: ['b'],
      decisions: [{ decision: 'd', rationale: 'r', alternatives: ['x'] }],
      context: ['c'],
      canReplace: true,
      sessionKey: 'one',
      harness: 'claude-code',
    },
  ],
  listNamed: [{ cwd: '/w' }],
  resumeNamed: [{ cwd: '/w', name: 'ü b' }],
  deleteNamed: [{ cwd: '/w', name: 'a-b' }],
  autosave: [{ cwd: '/w', reason: 'goodnight' }],
  saveItemRecord: [{ cwd: '/w', record }],
  listItemRecords: [{ cwd: '/w' }],
  briefing: [{ cwd: '/w', sessionLabel: 'one', budgetTokens: 500, afterCompaction: false, phase: 'PLAN' }],
  setPhase: [{ sessionLabel: 'one', phase: 'MAP' }],
  findPhase: ['one / two?'],
}

const answers: { readonly [Name in keyof AgentApi]: Awaited<ReturnType<AgentApi[Name]>> } = {
  registerProject: registered,
  listProjects: [{ ...registered, isOnDisk: false }],
  addProjectKeyword: registered,
  resolveProject: project,
  recordIntent: { project, intent, conflicts },
  completeIntent: { project, intents: [intent], completedNow: 1 },
  listIntents: [{ ...intent, standing }],
  findConflicts: conflicts,
  listObservedEdits: [
    {
      file: 'src/a.ts',
      sessionId: SessionId('claude-code/one'),
      sessionKey: SessionKey('one'),
      harness: 'claude-code',
      title: 'Cart',
      worktree: '/w',
      branch: 'main',
      edits: 2,
      lastEditAt: AT,
    },
  ],
  registerEntity: entity,
  listEntities: [entity],
  forgetEntity: 2,
  saveSummary: { project, summary, completedIntents: 2 },
  checkClaims: [{ claim: 'a', because: 'b' }],
  recentSessions: {
    project,
    intents: [{ ...intent, standing }],
    summaries: [summary],
    checkpoints: [{ sessionKey: 's', at: AT, summary: 'x', evidence: 'observed' }],
    pieces: [{ docid: 3, title: 't', source: 'summary' }],
  },
  searchHistory: [{ kind: 'memory', id: 'm', title: 't', excerpt: 'e', at: AT, score: 0.5 }],
  readChecklist: {
    path: '/w/CHECKLIST.md',
    modifiedAt: AT,
    items: [item],
    discrepancies: [{ itemId: 'i', text: 't', because: 'b' }],
    notLookedAt: [{ itemId: 'j', text: 'u', because: 'c' }],
  },
  markItem: item,
  saveNamed: {
    project,
    name: 'a-b',
    path: 'memory/checkpoints/a-b.md',
    savedAt: AT,
    task: 't',
    nextAction: 'n',
    isReplaced: true,
    lint: { score: 80, findings: [{ field: 'progress', problem: 'vague', text: 'x', advice: 'y' }] },
    sessionKey: 'one',
    isSessionMadeUp: false,
    checkpointId: CheckpointId('c'),
    doubts: [{ claim: 'a', because: 'b' }],
  },
  listNamed: [
    { name: 'a', path: 'p', savedAt: AT, task: 't', nextAction: 'n', branch: 'main', isOurs: false, score: 3 },
    { name: 'b', savedAt: AT, task: '', nextAction: '', isOurs: true, score: 0 },
  ],
  resumeNamed: {
    project,
    name: 'ü b',
    savedAt: AT,
    isOurs: false,
    task: 't',
    sections: { progress: 'p', nextAction: 'n', blockers: '', decisions: 'd', context: 'c' },
    git: { branch: 'main', head: '0123', dirty: { staged: 1, unstaged: 2, untracked: 3 } },
    files: [{ path: 'a', hash: 'h' }, { path: 'b' }],
    warnings: [{ kind: 'branch', text: 'x' }],
    confirm: 'always',
  },
  deleteNamed: { name: 'a-b', path: 'memory/checkpoints/a-b.md', stored: 2 },
  autosave: { isWritten: false, because: 'b' },
  saveItemRecord: undefined,
  listItemRecords: [record],
  briefing: {
    project,
    generatedAt: AT,
    mode: 'full',
    phase: 'PLAN',
    isDegraded: false,
    text: '# Session Briefing',
    tokens: 5,
    sections: [{ name: 'git', asOf: AT, origin: 'git', isEmpty: false, isCut: true }],
  },
  setPhase: undefined,
  findPhase: 'CODE',
}

async function serve(overrides: Partial<AgentApi>) {
  const place = temporaryHome()
  const backend = fakeBackend(fakeContinuityApp(), {}, fakeAgentApi(overrides))
  const result = await startDaemon(daemonOptions(place.home, { openApp: async () => backend }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  return {
    remote: createRemoteAgentApi({ home: place.home, env: {}, script: '/nowhere/daemon.js' }),
    async [Symbol.asyncDispose]() {
      await result.daemon.stop('the test is over')
      await place[Symbol.asyncDispose]()
    },
  }
}

const names = Object.keys(calls).filter((name): name is keyof AgentApi => name in calls)

test.each(names)('%s says over the socket what it says in the process', async (name) => {
  const heard: unknown[] = []
  const listening: unknown = async (...args: unknown[]) => {
    heard.push(args)
    return answers[name]
  }
  await using at = await serve({ [name]: listening })
  const call: unknown = at.remote[name]
  if (typeof call !== 'function') throw new Error('unreachable')
  expect(await call(...calls[name])).toEqual(answers[name])
  expect(heard).toEqual([calls[name]])
})

test('a refusal arrives as the error it was, with its code and hint', async () => {
  await using at = await serve({
    briefing: () => Promise.reject(new HoldfastError('not-found', 'No project is called x.', { hint: 'Name one.' })),
  })
  await expect(at.remote.briefing({ project: 'x' })).rejects.toMatchObject({
    name: 'HoldfastError',
    code: 'not-found',
    message: 'No project is called x.',
    hint: 'Name one.',
  })
})
