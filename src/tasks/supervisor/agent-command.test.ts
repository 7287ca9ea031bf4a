import { expect, test } from 'vitest'
import { aTaskSession } from '../../../test/support/task-session.ts'
import { agentEnv, fillIn } from './run-session.ts'

const session = aTaskSession({ task_slug: 'feat-login', state: 'active', current_gate: 'G4' })

const agent = {
  session,
  attempt: 2,
  root: '/project',
  opening: 'Go on.\n{{session}} $& $(rm -rf ~)',
  openingFile: '/run/opening.md',
  heartbeatFile: '/run/heartbeat',
}

test('a filled-in placeholder stays one argument and is not expanded again', () => {
  expect(fillIn(['claude', '-p', 'Task {{task}}: {{opening}}', '{{opening-file}}', '{{unknown}}'], agent)).toEqual([
    'claude',
    '-p',
    'Task feat-login: Go on.\n{{session}} $& $(rm -rf ~)',
    '/run/opening.md',
    '{{unknown}}',
  ])
})

test('the environment describes the task session to the agent', () => {
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
