/** OpenClaw 2026.9.6 puts what a plugin prepends before the prompt as it is, and gives one bootstrap file 20,000 characters; this bound is ours. */
export const MAX_CONTEXT_CHARS = 12_000

/** Whose answer the plugin can put before the agent: the prompt itself, or, for the legacy hook, the files that a run begins with. */
const ANSWERED = new Set(['session_start', 'before_prompt_build', 'agent:bootstrap'])

/** The plugin takes any answer to this one for a reason not to run the tool. */
const TOOL_HOOK = 'before_tool_call'

export function canInject(hook: string): boolean {
  return ANSWERED.has(hook) || hook === TOOL_HOOK
}

/** The reason alone: how a tool is kept from running is the plugin's affair. A turn has no other way to be ended. */
export function writeRefusal(hook: string, reason: string): string | undefined {
  return hook === TOOL_HOOK && reason !== '' ? reason.toWellFormed() : undefined
}

/** Plain text: the plugin has no format to keep to. */
export function writeInjection(hook: string, text: string): string | undefined {
  if (!ANSWERED.has(hook) || text === '' || text.length > MAX_CONTEXT_CHARS) return undefined
  return text.toWellFormed()
}
