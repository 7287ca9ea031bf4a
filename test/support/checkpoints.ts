import { type Checkpoint, EMPTY_WORK, type WorkSummary } from '../../src/kernel/checkpoint.ts'
import { CheckpointId, ProjectId, SessionId, SessionKey } from '../../src/kernel/id.ts'

export function aWorkSummary(overrides: Partial<WorkSummary> = {}): WorkSummary {
  return { ...EMPTY_WORK, ...overrides }
}

let made = 0

/** A valid checkpoint; every call has its own id. */
export function aCheckpointOf(work: Partial<WorkSummary>, overrides: Partial<Checkpoint> = {}): Checkpoint {
  made += 1
  return {
    id: CheckpointId(`ckpt-${made}`),
    sessionId: SessionId('claude-code/session-1'),
    sessionKey: SessionKey('session-1'),
    harness: 'claude-code',
    place: {
      projectId: ProjectId('project-1'),
      project: '/repo',
      projectNormalized: '/repo',
      worktree: '/repo',
      branch: 'main',
      head: 'a'.repeat(40),
    },
    trigger: 'periodic',
    summary: '',
    digest: '',
    promptCount: 1,
    recentQueries: [],
    recentRemembers: [],
    work: aWorkSummary(work),
    waitOrContinue: 'continue',
    nextSteps: [],
    canResume: true,
    eventSeq: made,
    createdAt: '2026-01-02T03:04:05.000Z',
    ...overrides,
  }
}
