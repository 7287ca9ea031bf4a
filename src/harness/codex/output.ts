/**
 * Codex 0.166 counts four bytes for a token, shows 2,500 of them and turns more into a preview of a file.
 * Our launcher passes on 9,500 characters of JSON, quotes and line ends included.
 */
export const MAX_CONTEXT_CHARS = 9_000
const MAX_CONTEXT_BYTES = 10_000

const CONTEXT_HOOKS = new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse'])

export const EMPTY_REPLY = '{}'

export function canInject(hook: string): boolean {
  return CONTEXT_HOOKS.has(hook)
}

/** Undefined for a hook without a way in, for no text, and for one that would not arrive whole. */
export function writeInjection(hook: string, text: string): string | undefined {
  if (text === '' || text.length > MAX_CONTEXT_CHARS || !CONTEXT_HOOKS.has(hook)) return undefined
  const additionalContext = text.toWellFormed()
  if (Buffer.byteLength(additionalContext) > MAX_CONTEXT_BYTES) return undefined
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, additionalContext } })
}

/** Only the tool: the turn goes on, and the agent reads why. */
export function writeRefusal(hook: string, reason: string): string | undefined {
  if (hook !== 'PreToolUse') return undefined
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason.toWellFormed() }
  return JSON.stringify({ hookSpecificOutput: { hookEventName: hook, ...decision } })
}

/** Before a tool, Codex 0.166 takes `continue: false` for a fault of the hook and runs the tool: there it is refused instead. */
export function writeStop(hook: string, reason: string): string | undefined {
  const said = reason.toWellFormed()
  if (hook === 'UserPromptSubmit') return JSON.stringify({ decision: 'block', reason: said })
  return hook === 'PostToolUse' ? JSON.stringify({ continue: false, stopReason: said }) : writeRefusal(hook, said)
}
