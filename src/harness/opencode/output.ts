import { pluginOutput } from '../payload/plugin-output.ts'

/** A part of a message has no limit in OpenCode 1.18.33; this one is ours, so that a start costs a bounded part of the window. */
export const MAX_CONTEXT_CHARS = 12_000

export const output = pluginOutput({
  maxChars: MAX_CONTEXT_CHARS,
  // With the next message, or at the end of the summarizer's prompt.
  answered: ['session.created', 'session.opened', 'chat.message', 'experimental.session.compacting'],
  toolHook: 'tool.execute.before',
})
