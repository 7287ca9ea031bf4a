/** Claude Code 2.1.325 shows 10,000 characters of one hook's context and turns more into a file with a preview. */
export const MAX_CONTEXT_CHARS = 9_500

const CONTEXT_HOOKS = new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse'])
/** Its plain stdout is appended to the summarizer's prompt. */
const SUMMARIZER_HOOK = 'PreCompact'

export const EMPTY_REPLY = '{}'

export function canInject(hook: string): boolean {
  return CONTEXT_HOOKS.has(hook) || hook === SUMMARIZER_HOOK
}

/** Undefined for a hook without a way in, for no text, and for one that would not arrive whole. */
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

/** Only the tool: the turn goes on, and the agent reads why. */
export function writeRefusal(hook: string, reason: string): string | undefined {
  if (hook !== 'PreToolUse') return undefined
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason.toWellFormed() }
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, ...decision } })
}

/** After any tool; before one, it is refused as well, so that it does not run first. */
const STOPPING_HOOKS = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'SubagentStart', 'SubagentStop'])

/** Ends the turn. A prompt is refused by itself: `continue: false` would let it through and stop after it. */
export function writeStop(hook: string, reason: string): string | undefined {
  if (hook === 'UserPromptSubmit') return JSON.stringify({ decision: 'block', reason })
  if (!STOPPING_HOOKS.has(hook)) return undefined
  const refusal = {
    hookSpecificOutput: { hookEventName: hook, permissionDecision: 'deny', permissionDecisionReason: reason },
  }
  return JSON.stringify({ continue: false, stopReason: reason, ...(hook === 'PreToolUse' && refusal) })
}
