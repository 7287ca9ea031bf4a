import { expect, test } from 'vitest'
import { agentEnv, fillIn } from './agent-command.ts'

const session = {
  schema_version: 1,
  session_id: 'session-1',
  agent_id: 'agent',
  task_slug: 'feat-login',
  state: 'active',
  started_at: '2026-01-02T03:04:05.000Z',
  last_activity: '2026-01-02T03:04:05.000Z',
  current_gate: 'G4',
  checkpoint_count: 0,
  parent_session: null,
  child_sessions: [],
  context_tokens: null,
  goal: null,
  resumed_from: null,
  harness_session: null,
  ended_at: null,
  outcome: null,
  transitions: [],
} as const

const agent = {
  session,
  attempt: 2,
  root: '/project',
  opening: 'Go on.\n{{session}} $& $(rm -rf ~)',
  openingFile: '/run/opening.md',
  heartbeatFile: '/run/heartbeat',
}

test('what is filled in stays one argument, and is not looked at again', () => {
  expect(fillIn(['claude', '-p', 'Task {{task}}: {{opening}}', '{{opening-file}}', '{{unknown}}'], agent)).toEqual([
    'claude',
    '-p',
    'Task feat-login: Go on.\n{{session}} $& $(rm -rf ~)',
    '/run/opening.md',
    '{{unknown}}',
  ])
})

test('the environment tells an agent where it is', () => {
  expect(agentEnv({ PATH: '/bin' }, agent)).toEqual({
    PATH: '/bin',
    HOLDFAST_TASK: 'feat-login',
    HOLDFAST_TASK_DIR: '/project/tasks/feat-login',
    HOLDFAST_SESSION_ID: 'session-1',
    HOLDFAST_GATE: 'G4',
    HOLDFAST_ATTEMPT: '2',
    HOLDFAST_OPENING_FILE: '/run/opening.md',
    HOLDFAST_HEARTBEAT_FILE: '/run/heartbeat',
    HOLDFAST_STOP_FILE: '/project/.agentic-governance/STOP',
  })
})
