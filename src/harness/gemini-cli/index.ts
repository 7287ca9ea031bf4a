import type { Connector } from '../contract/connector.ts'
import { geminiCliEnvironment } from './environment.ts'
import { GEMINI_CLI, isToldBetterByTranscript, readEvent } from './events.ts'
import { canInject, EMPTY_REPLY, MAX_CONTEXT_CHARS, writeInjection, writeRefusal, writeStop } from './output.ts'

export const geminiCli: Connector = {
  id: GEMINI_CLI,
  name: 'Gemini CLI',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    mcpTools: true,
    contextMeasured: true,
    httpHooks: false,
    maxOutputChars: MAX_CONTEXT_CHARS,
  },
  environment: geminiCliEnvironment,
  // Gemini CLI 0.61 reckons with the same for every model of its vendor, and with less for Gemma 4.
  contextWindowTokens: (model) => (model?.startsWith('gemma-4') === true ? 256_000 : 1_048_576),
  hooks: [
    { hook: 'SessionStart', isRoutine: true },
    { hook: 'BeforeAgent', isRoutine: true },
    { hook: 'BeforeTool', isRoutine: false },
    { hook: 'AfterTool', isRoutine: false },
    { hook: 'AfterAgent', isRoutine: true },
    { hook: 'PreCompress', isRoutine: false },
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
