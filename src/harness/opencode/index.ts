import type { Connector, Harness } from '../contract/connector.ts'
import { openCodeTranscript } from './transcript.ts'
import { OPENCODE, readEvent } from './events.ts'
import { pluginOutput } from '../payload/plugin-output.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'

/** OpenCode (1.18) does not name its session for what it starts. */
const openCodeEnvironment: HarnessEnvironment = { harness: 'opencode', sessionKey: [], directory: [] }

/** OpenCode 1.18.33 does not limit a message part; our limit keeps the cost of a start bounded. */
const MAX_CONTEXT_CHARS = 12_000

const output = pluginOutput({
  maxChars: MAX_CONTEXT_CHARS,
  // With the next message, or at the end of the summarizer's prompt.
  answered: ['session.created', 'session.opened', 'chat.message', 'experimental.session.compacting'],
  toolHook: 'tool.execute.before',
})

export const openCode: Connector = {
  id: OPENCODE,
  name: 'OpenCode',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    compactionHint: true,
    mcpTools: true,
    contextMeasured: true,
    httpHooks: false,
    maxOutputChars: MAX_CONTEXT_CHARS,
  },
  environment: openCodeEnvironment,
  hooks: [
    { hook: 'session.created', isRoutine: false },
    { hook: 'session.opened', isRoutine: false },
    { hook: 'chat.message', isRoutine: true },
    { hook: 'tool.execute.before', isRoutine: false },
    { hook: 'tool.execute.after', isRoutine: false },
    { hook: 'message.part.updated', isRoutine: false },
    { hook: 'session.idle', isRoutine: true },
    { hook: 'experimental.session.compacting', isRoutine: false },
    { hook: 'session.compacted', isRoutine: false },
    { hook: 'session.deleted', isRoutine: false },
    { hook: 'dispose', isRoutine: true },
  ],
  readEvent,
  ...output,
}

export const openCodeHarness: Harness = {
  id: openCode.id,
  connector: openCode,
  transcript: openCodeTranscript,
  writer: {
    name: 'opencode',
    words: ['opencode', 'run', '--pure'],
    modelFlag: '--model',
    env: {
      OPENCODE_CONFIG_CONTENT: '{"tools":{"*":false},"permission":{"edit":"deny","bash":"deny","webfetch":"deny"}}',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_SHARE: '1',
    },
  },
  loadSetup: () => import('./setup.ts'),
  resumeCommand: (sessionKey) => ['opencode', '--session', sessionKey],
}
