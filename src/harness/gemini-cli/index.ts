import type { Connector } from '../connector.ts'
import { geminiCliEnvironment } from './environment.ts'
import { GEMINI_CLI, isToldBetterByTranscript, readEvent } from './events.ts'
import { canInject, EMPTY_REPLY, MAX_CONTEXT_CHARS, writeInjection } from './output.ts'

export const geminiCli: Connector = {
  id: GEMINI_CLI,
  name: 'Gemini CLI',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: false,
    httpHooks: false,
    maxOutputChars: MAX_CONTEXT_CHARS,
  },
  environment: geminiCliEnvironment,
  hooks: [
    { hook: 'SessionStart', isRoutine: true },
    { hook: 'BeforeAgent', isRoutine: true },
    { hook: 'AfterTool', isRoutine: false },
    { hook: 'AfterAgent', isRoutine: true },
    { hook: 'PreCompress', isRoutine: false },
    { hook: 'SessionEnd', isRoutine: true },
  ],
  readEvent,
  isToldBetterByTranscript,
  canInject,
  writeInjection,
  emptyReply: EMPTY_REPLY,
}
