/** OpenClaw 2026.9.6 puts what a plugin prepends before the prompt as it is, and gives one bootstrap file 20,000 characters; this bound is ours. */
export const MAX_CONTEXT_CHARS = 12_000

/** Whose answer the plugin can put before the agent: the prompt itself, or, for the legacy hook, the files that a run begins with. */
const ANSWERED = new Set(['session_start', 'before_prompt_build', 'agent:bootstrap'])

export function canInject(hook: string): boolean {
  return ANSWERED.has(hook)
}

/** Plain text: the plugin has no format to keep to. */
export function writeInjection(hook: string, text: string): string | undefined {
  if (!ANSWERED.has(hook) || text === '' || text.length > MAX_CONTEXT_CHARS) return undefined
  return text.toWellFormed()
}
