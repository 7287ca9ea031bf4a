import type { EventKind } from '../../kernel/event.ts'
import { EventId } from '../../kernel/id.ts'

const PLAIN = /^[\w.:@-]{1,160}$/

/**
 * The id of a fact that the harness itself has a key for: its hook, the spool and its transcript all arrive at the same one,
 * so the second arrival is a no-op. Undefined when a part is missing or not a plain word: such a fact gets its receipt's id.
 */
export function naturalEventId(
  harness: string,
  sessionKey: string,
  kind: EventKind,
  key: string | undefined,
): EventId | undefined {
  if (key === undefined || !PLAIN.test(key) || !PLAIN.test(sessionKey)) return undefined
  return EventId(`${harness}/${sessionKey}/${kind}/${key}`)
}
