/** A part of a message has no limit in OpenCode 1.18.33; this one is ours, so that a start costs a bounded part of the window. */
export const MAX_CONTEXT_CHARS = 12_000

/** Whose answer the plugin can put before the agent: with the next message, or at the end of the summarizer's prompt. */
const ANSWERED = new Set(['session.created', 'session.opened', 'chat.message', 'experimental.session.compacting'])

export function canInject(hook: string): boolean {
  return ANSWERED.has(hook)
}

/** Plain text: the plugin has no format to keep to. */
export function writeInjection(hook: string, text: string): string | undefined {
  if (!ANSWERED.has(hook) || text === '' || text.length > MAX_CONTEXT_CHARS) return undefined
  return text.toWellFormed()
}
