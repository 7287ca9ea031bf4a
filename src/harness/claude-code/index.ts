import type { Connector } from '../contract/connector.ts'
import { claudeCodeEnvironment } from './environment.ts'
import { CLAUDE_CODE, readEvent } from './events.ts'
import { canInject, EMPTY_REPLY, MAX_CONTEXT_CHARS, writeInjection, writeRefusal, writeStop } from './output.ts'

export const claudeCode: Connector = {
  id: CLAUDE_CODE,
  name: 'Claude Code',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    compactionAdvice: true,
    mcpTools: true,
    contextMeasured: true,
    httpHooks: true,
    maxOutputChars: MAX_CONTEXT_CHARS,
  },
  environment: claudeCodeEnvironment,
  // Claude Code marks the models that it runs with the long window by this ending.
  contextWindowTokens: (model) => (model?.endsWith('[1m]') === true ? 1_000_000 : 200_000),
  hooks: [
    { hook: 'SessionStart', isRoutine: true },
    { hook: 'UserPromptSubmit', isRoutine: true },
    { hook: 'PreToolUse', isRoutine: false },
    { hook: 'PostToolUse', isRoutine: false },
    { hook: 'PostToolUseFailure', isRoutine: false },
    { hook: 'SubagentStart', isRoutine: false },
    { hook: 'SubagentStop', isRoutine: false },
    { hook: 'PreCompact', isRoutine: false },
    { hook: 'PostCompact', isRoutine: false },
    { hook: 'Stop', isRoutine: true },
    { hook: 'SessionEnd', isRoutine: true },
  ],
  readEvent,
  canInject,
  writeInjection,
  writeRefusal,
  writeStop,
  emptyReply: EMPTY_REPLY,
}
