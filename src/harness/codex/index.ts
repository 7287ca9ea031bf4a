import type { Connector } from '../contract/connector.ts'
import { codexEnvironment } from './environment.ts'
import { CODEX, isToldBetterByTranscript, readEvent } from './events.ts'
import { canInject, EMPTY_REPLY, MAX_CONTEXT_CHARS, writeInjection, writeRefusal, writeStop } from './output.ts'

export const codex: Connector = {
  id: CODEX,
  name: 'Codex CLI',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    mcpTools: true,
    contextMeasured: true,
    httpHooks: false,
    maxOutputChars: MAX_CONTEXT_CHARS,
  },
  environment: codexEnvironment,
  hooks: [
    { hook: 'SessionStart', isRoutine: true },
    { hook: 'UserPromptSubmit', isRoutine: true },
    { hook: 'PreToolUse', isRoutine: false },
    { hook: 'PostToolUse', isRoutine: false },
    { hook: 'SubagentStart', isRoutine: false },
    { hook: 'SubagentStop', isRoutine: false },
    { hook: 'PreCompact', isRoutine: false },
    { hook: 'PostCompact', isRoutine: false },
    { hook: 'Stop', isRoutine: true },
    { hook: 'SessionEnd', isRoutine: true },
  ],
  readEvent,
  isToldBetterByTranscript,
  canInject,
  writeInjection,
  writeRefusal,
  writeStop,
  emptyReply: EMPTY_REPLY,
}
