import type { Connector } from '../contract/connector.ts'
import { openCodeEnvironment } from './environment.ts'
import { OPENCODE, readEvent } from './events.ts'
import { MAX_CONTEXT_CHARS, output } from './output.ts'

export const openCode: Connector = {
  id: OPENCODE,
  name: 'OpenCode',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    compactionAdvice: true,
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
