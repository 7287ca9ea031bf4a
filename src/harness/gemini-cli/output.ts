/** Gemini CLI 0.61 sets no limit of its own; our launcher passes on 9,500 characters of JSON, quotes and line ends included. */
export const MAX_CONTEXT_CHARS = 9_000

const CONTEXT_HOOKS = new Set(['SessionStart', 'BeforeAgent', 'AfterTool'])

export const EMPTY_REPLY = '{}'

export function canInject(hook: string): boolean {
  return CONTEXT_HOOKS.has(hook)
}

/** Undefined for a hook without a way in, for no text, and for one that would not arrive whole. Nothing but JSON may be printed here. */
export function writeInjection(hook: string, text: string): string | undefined {
  if (text === '' || text.length > MAX_CONTEXT_CHARS || !CONTEXT_HOOKS.has(hook)) return undefined
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, additionalContext: text.toWellFormed() } })
}
