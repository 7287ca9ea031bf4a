/** A part of a message has no limit in OpenCode 1.18.33; this one is ours, so that a start costs a bounded part of the window. */
export const MAX_CONTEXT_CHARS = 12_000

/** Whose answer the plugin can put before the agent: with the next message, or at the end of the summarizer's prompt. */
const ANSWERED = new Set(['session.created', 'session.opened', 'chat.message', 'experimental.session.compacting'])

/** The plugin takes any answer to this one for a reason not to run the tool. */
const TOOL_HOOK = 'tool.execute.before'

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
