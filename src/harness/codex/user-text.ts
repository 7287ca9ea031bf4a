import { withoutOwnText } from '../payload/own-text.ts'

/** What Codex itself puts into user messages. */
const FOREIGN =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|turn_aborted|skill|subagent_notification|collaboration_mode|user_shell_command)|# AGENTS\.md instructions)/

/** The person's own words; undefined when there are none. */
export function readUserText(message: string): string | undefined {
  if (FOREIGN.test(message)) return undefined
  const text = withoutOwnText(message).trim()
  return text === '' ? undefined : text
}
