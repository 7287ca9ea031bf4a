import type { Connector, Harness } from '../contract/connector.ts'
import { codexTranscript } from './transcript.ts'
import { CODEX, isTranscriptMoreComplete, readEvent } from './events.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'

/** Codex (0.166) starts its servers with an environment of its own: the session is named in each call, as `_meta.threadId`. */
const codexEnvironment: HarnessEnvironment = { harness: 'codex', sessionKey: [], directory: [] }

/**
 * Codex 0.166 counts four bytes per token, shows 2,500 tokens and replaces more by a preview of a file. Our launcher
 * passes on 9,500 characters of JSON, including quotes and newlines.
 */
export const MAX_CONTEXT_CHARS = 9_000
const MAX_CONTEXT_BYTES = 10_000

const CONTEXT_HOOKS = new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse'])

const EMPTY_REPLY = '{}'

export function canInject(hook: string): boolean {
  return CONTEXT_HOOKS.has(hook)
}

/** Undefined for a hook that cannot inject, for an empty text, and for one that is too long to arrive whole. */
export function writeInjection(hook: string, text: string): string | undefined {
  if (text === '' || text.length > MAX_CONTEXT_CHARS || !CONTEXT_HOOKS.has(hook)) return undefined
  const additionalContext = text.toWellFormed()
  if (Buffer.byteLength(additionalContext) > MAX_CONTEXT_BYTES) return undefined
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, additionalContext } })
}

/** Refuses only the tool: the turn continues, and the agent reads the reason. */
export function writeRefusal(hook: string, reason: string): string | undefined {
  if (hook !== 'PreToolUse') return undefined
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason.toWellFormed() }
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, ...decision } })
}

/** Before a tool, Codex 0.166 takes `continue: false` for a failure of the hook and runs the tool, so the tool is refused instead. */
export function writeStop(hook: string, reason: string): string | undefined {
  const said = reason.toWellFormed()
  if (hook === 'UserPromptSubmit') return JSON.stringify({ decision: 'block', reason: said })
  return hook === 'PostToolUse' ? JSON.stringify({ continue: false, stopReason: said }) : writeRefusal(hook, said)
}

const codex: Connector = {
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
  isTranscriptMoreComplete: isTranscriptMoreComplete,
  canInject,
  writeInjection,
  writeRefusal,
  writeStop,
  emptyReply: EMPTY_REPLY,
}

export const codexHarness: Harness = {
  id: codex.id,
  connector: codex,
  transcript: codexTranscript,
  writer: {
    name: 'codex',
    words: [
      'codex',
      'exec',
      '--skip-git-repo-check',
      '--sandbox',
      'read-only',
      '--ephemeral',
      '--disable',
      'hooks',
      '--color',
      'never',
    ],
    modelFlag: '--model',
  },
  loadSetup: () => import('./setup.ts'),
  resumeCommand: (sessionKey) => ['codex', 'resume', sessionKey],
}
