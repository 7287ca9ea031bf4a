import type { Connector, Harness } from '../contract/connector.ts'
import { AFTER_COMPACT, CURSOR, readEvent } from './events.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'

/** Cursor names the project for hooks and servers, but no session. */
const cursorEnvironment: HarnessEnvironment = {
  harness: 'cursor',
  sessionKey: [],
  directory: ['CURSOR_PROJECT_DIR'],
}

const MAX_CONTEXT_CHARS = 9_500
/** The installed hooks whose `additional_context` @cursor/sdk 1.0.32 takes. */
const CONTEXT_HOOKS = new Set(['sessionStart', 'beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'postToolUseFailure'])

/** The user sees one message, the agent the other. */
function writeRefusal(hook: string, reason: string): string | undefined {
  if (hook !== 'preToolUse') return undefined
  const said = reason.toWellFormed()
  return JSON.stringify({ permission: 'deny', user_message: said, agent_message: said })
}

/** Not tested with the IDE, which needs a login; its behaviour was read from the code of its SDK. */
export const cursor: Connector = {
  id: CURSOR,
  name: 'Cursor',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    mcpTools: true,
    httpHooks: false,
    maxOutputChars: MAX_CONTEXT_CHARS,
  },
  environment: cursorEnvironment,
  hooks: [
    { hook: 'sessionStart', isRoutine: true },
    { hook: 'beforeSubmitPrompt', isRoutine: true },
    { hook: 'preToolUse', isRoutine: false },
    { hook: 'postToolUse', isRoutine: false },
    { hook: 'postToolUseFailure', isRoutine: false },
    { hook: 'afterAgentResponse', isRoutine: false },
    { hook: 'subagentStart', isRoutine: false },
    { hook: 'subagentStop', isRoutine: false },
    { hook: 'preCompact', isRoutine: false },
    { hook: AFTER_COMPACT, isRoutine: false },
    { hook: 'stop', isRoutine: true },
    { hook: 'sessionEnd', isRoutine: false },
  ],
  readEvent,
  canInject: (hook) => CONTEXT_HOOKS.has(hook),
  writeInjection(hook, text) {
    if (!CONTEXT_HOOKS.has(hook) || text === '' || text.length > MAX_CONTEXT_CHARS) return undefined
    return JSON.stringify({ additional_context: text.toWellFormed() })
  },
  writeRefusal,
  writeStop(hook, reason) {
    if (hook !== 'beforeSubmitPrompt') return writeRefusal(hook, reason)
    return JSON.stringify({ continue: false, user_message: reason.toWellFormed() })
  },
  emptyReply: '{}',
}

export const cursorHarness: Harness = {
  id: cursor.id,
  connector: cursor,
  loadSetup: () => import('./setup.ts'),
}
