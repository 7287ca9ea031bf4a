import { expect, test } from 'vitest'
import { MemoryId, ProjectId, SessionId } from '../kernel/id.ts'
import { redactMemory } from './redact-checkpoint.ts'
import { createTestRedactor } from '../../test/support/create-test-redactor.ts'

const redactor = createTestRedactor((text) => text.replaceAll('hush', '[REDACTED]'))

test('no part of a memory keeps a secret: text, tags and failure evidence', () => {
  const memory = {
    id: MemoryId('mem-1'),
    projectId: ProjectId('p'),
    type: 'failed_approach',
    content: 'Tried, failed: deploy hush',
    importance: 6,
    tags: ['hush'],
    source: 'observed',
    createdAt: '2026-01-02T03:04:05.000Z',
    hits: 0,
    evidence: {
      kind: 'revert',
      keys: ['deploy hush'],
      command: 'deploy hush',
      purpose: 'run',
      seqs: [1],
      failures: 1,
      error: 'Error: hush',
      traits: ['error: hush'],
      files: ['src/hush.ts'],
      undone: { how: 'git checkout -- src/hush.ts', helped: false },
      sessions: [SessionId('claude-code/s')],
      epoch: 1,
      resolved: { sessionId: SessionId('claude-code/t'), seq: 2, files: ['src/hush.ts'] },
    },
  } as const
  const written = JSON.stringify(memory)
  expect(JSON.stringify(redactMemory(memory, redactor))).toBe(written.replaceAll('hush', '[REDACTED]'))
})
