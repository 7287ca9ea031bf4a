import { expect, test } from 'vitest'
import { logLine } from './log-lines.ts'

test('the lines are those of the governance protocol, word for word', () => {
  expect([
    logLine.sessionStart('api', 'session-1', 'ckpt-1'),
    logLine.sessionStart('api', 'session-1', null),
    logLine.healthCheck('api', 'pass'),
    logLine.goal('api', 'finish the parser'),
    logLine.checkpointCreated('api', 'ckpt-2'),
    logLine.sessionEnd('api', 'session-1', 'partial'),
    logLine.contextBudget('api'),
    logLine.contextRefresh('api', 51_200),
  ]).toEqual([
    '[api] Session start: session-1 resuming from ckpt-1',
    '[api] Session start: session-1 resuming from none',
    '[api] Health check: pass',
    '[api] Session starting: finish the parser',
    '[api] Checkpoint created: ckpt-2',
    '[api] Session end: session-1 outcome=partial',
    '[api] Context budget reached',
    '[api] Context refresh complete (tokens_flushed=51200)',
  ])
})
