import { expect, test } from 'vitest'
import type { Checkpoint, WorkSummary, AgentNote } from '../kernel/checkpoint.ts'
import { CheckpointId, ProjectId, SessionId, SessionKey } from '../kernel/id.ts'
import { redactCheckpoint } from './redact-checkpoint.ts'
import { createTestRedactor } from '../../test/support/create-test-redactor.ts'

/** Every field, optional ones included: a new field does not compile until it is listed here. */
type Whole<T> = T extends string ? T : T extends object ? { [Key in keyof T]-?: Whole<T[Key]> } : T

const SAID = 'said by somebody'
const AT = '2026-03-01T10:00:00.000Z'
const order = { lastOrder: 1 }
const decided = { decision: SAID, rationale: SAID, alternatives: [SAID] }

const work: Whole<WorkSummary> = {
  asks: [{ text: SAID, at: AT, order: 1, answers: SAID }],
  steps: [{ kind: 'shell', what: SAID, ok: false, error: SAID, order: 1 }],
  edits: [{ path: SAID, action: 'edited', defined: [SAID], order: 1 }],
  pullRequest: { number: 7, url: SAID, isLeft: true, order: 1 },
  merge: { command: SAID, conflicts: [SAID], order: 1 },
  gitStatus: { changed: [SAID], untracked: [SAID], order: 1 },
  files: [
    {
      path: SAID,
      action: 'edited',
      contentHash: 'a'.repeat(64),
      reads: 1,
      edits: 1,
      lastEditOrder: 1,
      ...order,
    },
  ],
  commands: [{ command: SAID, purpose: 'test', ok: true, exitStatus: 0, runs: 1, failures: 0, ...order }],
  tests: [{ name: SAID, status: 'failing', command: SAID, ...order }],
  decisions: [{ ...decided, evidence: 'claimed', savedAs: SAID, ...order }],
  errors: [{ text: SAID, signature: SAID, count: 1, command: SAID, resolution: SAID, ...order }],
  todos: [{ id: '7', text: SAID, status: 'pending' }],
  plan: { text: SAID, ...order },
  blockers: [SAID],
  refs: [SAID],
  statements: [{ text: SAID, ...order }],
  failedApproaches: [SAID],
  claims: [{ text: SAID, evidence: 'claimed', contradictedBy: SAID, ...order }],
  dialogue: [{ speaker: 'user', kind: 'answer', text: SAID, about: SAID, order: 1, at: AT }],
  checks: [
    {
      command: SAID,
      purpose: 'test',
      verdict: 'failed',
      line: SAID,
      passed: 1,
      failing: [SAID],
      findings: [{ place: SAID, text: SAID }],
      order: 1,
    },
  ],
  commits: [{ subject: SAID, hash: 'abc', order: 1, isPushed: true }],
  inFlight: [{ kind: 'server', id: 'b1', what: SAID, pid: 1, port: 1, order: 1 }],
  lastEditOrder: 1,
  todosOrder: 1,
  lastPushOrder: 1,
  ...order,
}

const written: Whole<AgentNote> = {
  summary: SAID,
  nextAction: SAID,
  waitingFor: SAID,
  decisions: [decided],
  blockers: [SAID],
  author: 'agent',
  name: SAID,
  order: 1,
}

const checkpoint: Whole<Checkpoint> = {
  id: CheckpointId('c'),
  sessionId: SessionId('s'),
  sessionKey: SessionKey('k'),
  harness: 'codex',
  place: {
    projectId: ProjectId('p'),
    project: '/p',
    projectNormalized: '/p',
    worktree: '/p',
    formerWorktree: '/q',
    branch: 'main',
    head: 'abc',
    remote: 'example.invalid/p',
  },
  dirty: { staged: 1, unstaged: 1, untracked: 1, paths: [SAID] },
  task: { slug: 'a-task', gate: 'G1', step: '1' },
  trigger: 'explicit',
  name: SAID,
  summary: SAID,
  digest: SAID,
  promptCount: 1,
  recentQueries: [SAID],
  recentRemembers: [SAID],
  work,
  written,
  nextAction: SAID,
  waitOrContinue: 'wait',
  waitingFor: SAID,
  nextSteps: [SAID],
  resumeInstructions: SAID,
  canResume: true,
  contextTokens: 1,
  safetyMetrics: { refusals: 0 },
  parentId: CheckpointId('b'),
  handedOverBy: 'ab',
  eventSeq: 1,
  createdAt: AT,
  workEndedAt: AT,
}

test('every free text of a checkpoint is redacted, and nothing else changes', () => {
  const redactor = createTestRedactor((text) => (text === SAID ? 'cleaned' : `${text}?`))
  const expected: unknown = JSON.parse(JSON.stringify(checkpoint).replaceAll(SAID, 'cleaned'))
  expect(redactCheckpoint(checkpoint, redactor)).toEqual(expected)
})
