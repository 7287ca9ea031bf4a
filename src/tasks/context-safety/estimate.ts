import type { SessionEvent } from '../../kernel/event.ts'

/** Characters for each token, where nobody counted: text in Latin letters and code come to between three and five. */
const CHARS_PER_TOKEN = 4
/** What a harness says before the first prompt: its system prompt and its tools. */
const STANDING_TOKENS = 15_000

function charsOf(event: SessionEvent): number {
  if (event.kind === 'prompt-submitted') return event.prompt.length
  if (event.kind === 'turn-ended') return event.lastMessage?.length ?? 0
  if (event.kind === 'compaction-finished') return event.summary?.length ?? 0
  if (event.kind !== 'tool-finished') return 0
  const { command = '', query = '', fragment = '' } = event.tool
  return command.length + query.length + fragment.length + (event.outcome.output?.length ?? 0)
}

/**
 * A guess at what a context holds, for a harness that gives no usage: the texts of its events since it was last emptied. Events
 * are bounded, so of long outputs it sees less than the model did: the guess is a floor, and is called an estimate wherever it is shown.
 */
export function estimateTokens(events: readonly SessionEvent[]): number {
  let chars = 0
  for (const event of events) {
    const isEmptied =
      event.kind === 'compaction-finished' || (event.kind === 'session-started' && event.source === 'clear')
    chars = (isEmptied ? 0 : chars) + charsOf(event)
  }
  return STANDING_TOKENS + Math.ceil(chars / CHARS_PER_TOKEN)
}
