import type { StoredEvent } from '../../kernel/event.ts'
import { get } from './call.ts'
import type { CheckpointRow } from './contract.ts'

const LOOKED_AT = 1_000
const MIN_CHARS = 6

const toKey = (text: string): string => text.replace(/["`]/g, '').replace(/\s+/g, ' ').trim()

/** Every text of an event, however deep. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

/** The newest event of the source sessions that holds the text; of sessions whose events are still stored. */
export async function findSourceEvent(
  text: string,
  sources: readonly CheckpointRow[],
  signal: AbortSignal,
): Promise<StoredEvent | undefined> {
  // A check is rendered with its result behind it: the command alone is in the event.
  const part = toKey(text).split(/ (?:failed|passed)(?::| \()/)[0] ?? ''
  if (part.length < MIN_CHARS) return undefined
  for (const { sessionId, eventSeq } of sources) {
    const input = { sessionId, beforeSeq: eventSeq + 1, isNewestFirst: true, limit: LOOKED_AT }
    const { events } = await get<{ events: readonly StoredEvent[] }>('/api/events', input, signal)
    const found = events.find(({ event }) => listTexts(event).some((one) => toKey(one).includes(part)))
    if (found !== undefined) return found
  }
  return undefined
}
