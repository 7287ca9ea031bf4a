import { withoutOwnText } from '../payload/own-text.ts'
import { withoutElements } from '../payload/without-elements.ts'

/** What Gemini CLI puts into user messages: its own set-up, what hooks said, what came from outside. */
const FOREIGN_ELEMENTS = ['session_context', 'hook_context', 'untrusted_context'] as const

/** The text without what Gemini CLI and hooks added to it. */
export function withoutForeignText(text: string): string {
  return withoutOwnText(withoutElements(text, FOREIGN_ELEMENTS)).trim()
}

/** The person's own words in a prompt; undefined when there are none. In headless mode it begins with what SessionStart's hooks said (0.61). */
export function readUserText(message: string): string | undefined {
  const text = withoutForeignText(message)
  // One that was cut off has no end to be taken out by.
  return text === '' || text.startsWith('<session_context>') ? undefined : text
}
