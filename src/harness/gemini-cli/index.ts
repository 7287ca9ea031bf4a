import type { Connector, Harness } from '../contract/connector.ts'
import { geminiCliTranscript } from './transcript.ts'
import { GEMINI_CLI, isTranscriptMoreComplete, readEvent } from './events.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'

/** The variables that Gemini CLI (0.61) sets for the hooks and commands that it starts. */
const geminiCliEnvironment: HarnessEnvironment = {
  harness: 'gemini-cli',
  sessionKey: ['GEMINI_SESSION_ID'],
  directory: ['GEMINI_PROJECT_DIR', 'GEMINI_CWD'],
}

/** Gemini CLI 0.61 has no limit of its own; our launcher passes on 9,500 characters of JSON, including quotes and newlines. */
export const MAX_CONTEXT_CHARS = 9_000

const CONTEXT_HOOKS = new Set(['SessionStart', 'BeforeAgent', 'AfterTool'])

const TOOL_HOOK = 'BeforeTool'

const EMPTY_REPLY = '{}'

/** Before a tool the agent is shown only the reason of a refusal. */
export function canInject(hook: string): boolean {
  return CONTEXT_HOOKS.has(hook) || hook === TOOL_HOOK
}

/** Undefined for a hook that cannot inject, for an empty text, and for one that is too long to arrive whole. Gemini CLI accepts only JSON here. */
export function writeInjection(hook: string, text: string): string | undefined {
  if (text === '' || text.length > MAX_CONTEXT_CHARS || !CONTEXT_HOOKS.has(hook)) return undefined
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, additionalContext: text.toWellFormed() } })
}

/** Refuses only the tool: the turn continues, and the agent reads the reason as the tool's error. */
export function writeRefusal(hook: string, reason: string): string | undefined {
  return hook === TOOL_HOOK ? JSON.stringify({ decision: 'deny', reason: reason.toWellFormed() }) : undefined
}

/** A prompt is denied; elsewhere the turn ends, and an announced tool is denied so that it does not run first. */
export function writeStop(hook: string, reason: string): string | undefined {
  const said = reason.toWellFormed()
  const denied = { decision: 'deny', reason: said }
  if (hook === 'BeforeAgent') return JSON.stringify(denied)
  if (hook !== TOOL_HOOK && hook !== 'AfterTool') return undefined
  return JSON.stringify({ continue: false, stopReason: said, ...(hook === TOOL_HOOK && denied) })
}

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
  // Gemini CLI 0.61 assumes the same window for every model of its vendor, and a smaller one for Gemma 4.
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
  isTranscriptMoreComplete: isTranscriptMoreComplete,
  canInject,
  writeInjection,
  writeRefusal,
  writeStop,
  emptyReply: EMPTY_REPLY,
}

export const geminiCliHarness: Harness = {
  id: geminiCli.id,
  connector: geminiCli,
  transcript: geminiCliTranscript,
  writer: {
    name: 'gemini',
    words: [
      'gemini',
      '-p',
      'Print the handoff that the text above asks for.',
      '--output-format',
      'text',
      '--approval-mode',
      'plan',
      '--skip-trust',
      '--extensions',
      'none',
      '--allowed-mcp-server-names',
      'none',
    ],
    modelFlag: '--model',
  },
  loadSetup: () => import('./setup.ts'),
  resumeCommand: (sessionKey) => ['gemini', '--resume', sessionKey],
}
