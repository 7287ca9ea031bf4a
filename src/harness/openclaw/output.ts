import { pluginOutput } from '../payload/plugin-output.ts'

/** OpenClaw 2026.9.6 puts what a plugin prepends before the prompt as it is, and gives one bootstrap file 20,000 characters; this bound is ours. */
export const MAX_CONTEXT_CHARS = 12_000

export const output = pluginOutput({
  maxChars: MAX_CONTEXT_CHARS,
  // The prompt itself, or, for the legacy hook, the files that a run begins with.
  answered: ['session_start', 'before_prompt_build', 'agent:bootstrap'],
  toolHook: 'before_tool_call',
})
