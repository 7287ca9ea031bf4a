/** Gemini CLI 0.61 sets no limit of its own; our launcher passes on 9,500 characters of JSON, quotes and line ends included. */
export const MAX_CONTEXT_CHARS = 9_000

const CONTEXT_HOOKS = new Set(['SessionStart', 'BeforeAgent', 'AfterTool'])

const TOOL_HOOK = 'BeforeTool'

export const EMPTY_REPLY = '{}'

/** Before a tool the agent is shown a refusal's reason, and nothing else. */
export function canInject(hook: string): boolean {
  return CONTEXT_HOOKS.has(hook) || hook === TOOL_HOOK
}

/** Undefined for a hook without a way in, for no text, and for one that would not arrive whole. Nothing but JSON may be printed here. */
export function writeInjection(hook: string, text: string): string | undefined {
  if (text === '' || text.length > MAX_CONTEXT_CHARS || !CONTEXT_HOOKS.has(hook)) return undefined
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, additionalContext: text.toWellFormed() } })
}

/** Only the tool: the turn goes on, and the agent reads why as the tool's error. */
export function writeRefusal(hook: string, reason: string): string | undefined {
  return hook === TOOL_HOOK ? JSON.stringify({ decision: 'deny', reason: reason.toWellFormed() }) : undefined
}

/** A prompt is refused by itself; elsewhere the loop ends, and a tool that was announced does not run first. */
export function writeStop(hook: string, reason: string): string | undefined {
  const said = reason.toWellFormed()
  const denied = { decision: 'deny', reason: said }
  if (hook === 'BeforeAgent') return JSON.stringify(denied)
  if (hook !== TOOL_HOOK && hook !== 'AfterTool') return undefined
  return JSON.stringify({ continue: false, stopReason: said, ...(hook === TOOL_HOOK && denied) })
}
