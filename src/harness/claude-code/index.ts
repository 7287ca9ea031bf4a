import type { Connector, Harness } from '../contract/connector.ts'
import { claudeCodeTranscript } from './transcript.ts'
import { CLAUDE_CODE, readEvent } from './events.ts'
import type { HarnessEnvironment } from '../descriptor/environment.ts'

/** The variables that Claude Code (2.1) sets for the servers and commands that it starts. */
const claudeCodeEnvironment: HarnessEnvironment = {
  harness: 'claude-code',
  sessionKey: ['CLAUDE_CODE_SESSION_ID'],
  directory: ['CLAUDE_PROJECT_DIR'],
}

/** Claude Code 2.1.325 shows 10,000 characters of one hook's context and replaces more by a file with a preview. */
export const MAX_CONTEXT_CHARS = 9_500

const CONTEXT_HOOKS = new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse'])
/** Its plain stdout is appended to the summarizer's prompt. */
const SUMMARIZER_HOOK = 'PreCompact'

const EMPTY_REPLY = '{}'

export function canInject(hook: string): boolean {
  return CONTEXT_HOOKS.has(hook) || hook === SUMMARIZER_HOOK
}

/** Undefined for a hook that cannot inject, for an empty text, and for one that is too long to arrive whole. */
export function writeInjection(hook: string, text: string, forUser?: string): string | undefined {
  if (text === '' || text.length + (forUser?.length ?? 0) > MAX_CONTEXT_CHARS) return undefined
  const wellFormed = text.toWellFormed()
  if (hook === SUMMARIZER_HOOK) return wellFormed
  if (!CONTEXT_HOOKS.has(hook)) return undefined
  return JSON.stringify({
    ...(forUser === undefined ? {} : { systemMessage: `Holdfast: ${forUser.toWellFormed()}` }),
    hookSpecificOutput: { hookEventName: hook, additionalContext: wellFormed },
  })
}

/** Refuses only the tool: the turn continues, and the agent reads the reason. */
function writeRefusal(hook: string, reason: string): string | undefined {
  if (hook !== 'PreToolUse') return undefined
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason.toWellFormed() }
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, ...decision } })
}

/** Hooks that can end the turn. Before a tool, the tool is refused as well so that it does not run first. */
const STOPPING_HOOKS = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'SubagentStart', 'SubagentStop'])

/** Ends the turn. A prompt is blocked instead: `continue: false` would let it through and stop after it. */
export function writeStop(hook: string, reason: string): string | undefined {
  if (hook === 'UserPromptSubmit') return JSON.stringify({ decision: 'block', reason })
  if (!STOPPING_HOOKS.has(hook)) return undefined
  const refusal = {
    hookSpecificOutput: { hookEventName: hook, permissionDecision: 'deny', permissionDecisionReason: reason },
  }
  return JSON.stringify({ continue: false, stopReason: reason, ...(hook === 'PreToolUse' && refusal) })
}

export const claudeCode: Connector = {
  id: CLAUDE_CODE,
  name: 'Claude Code',
  capabilities: {
    recovery: 'at-session-start',
    promptInjection: true,
    compactionEvents: true,
    compactionHint: true,
    mcpTools: true,
    contextMeasured: true,
    httpHooks: true,
    maxOutputChars: MAX_CONTEXT_CHARS,
  },
  environment: claudeCodeEnvironment,
  // Claude Code marks models with the long context window by this suffix.
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

export const claudeCodeHarness: Harness = {
  id: claudeCode.id,
  connector: claudeCode,
  transcript: claudeCodeTranscript,
  writer: {
    name: 'claude',
    words: [
      'claude',
      '-p',
      '--output-format',
      'text',
      '--tools',
      '',
      '--strict-mcp-config',
      '--settings',
      '{"disableAllHooks":true}',
      '--no-session-persistence',
    ],
    modelFlag: '--model',
  },
  loadSetup: () => import('./setup.ts'),
  resumeCommand: (sessionKey) => ['claude', '--resume', sessionKey],
}
