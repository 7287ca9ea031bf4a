import type { MemoryHit } from '../../../kernel/memory.ts'
import type { MemorySearch } from '../../../kernel/ports/ports.ts'
import { arrangeByTime } from '../../../memory/recall/arrange-by-time.ts'
import type { RankedItem } from '../../../memory/recall/rank.ts'
import { findStatedDates, type TimeSpan } from '../../../memory/recall/stated-dates.ts'
import {
  parseTimeQuestion,
  type TimeEvent,
  type TimeQuestion,
  type TimeWindow,
} from '../../../memory/recall/time-words.ts'
import type { MemoryRow } from '../../rows/schema.ts'

/** A memory that describes an event this well says when it happened. */
const NAMES_EVENT = 0.5

type SearchOnce = (query: MemorySearch) => Promise<readonly MemoryHit[]>

/** The time of the event that a question names, as a span of time before or after it. */
async function findEventWindow(
  query: MemorySearch,
  event: TimeEvent,
  search: SearchOnce,
): Promise<{ readonly window: TimeWindow; readonly id: string } | undefined> {
  const [found] = await search({ ...query, text: event.text, now: undefined, limit: 1 })
  if (found === undefined || found.relevance < NAMES_EVENT) return undefined
  const { id, content, createdAt } = found.memory
  const at = Date.parse(createdAt)
  const [stated] = findStatedDates(content, at)
  const { from, to } = stated ?? { from: at, to: at + 1 }
  return { id, window: event.side === 'after' ? { from: to } : { to: from } }
}

/** What a query says about time, with the text that is left to search for. */
export async function readTime(
  query: MemorySearch,
  search: SearchOnce,
): Promise<TimeQuestion & { readonly eventId?: string }> {
  const { text, now } = query
  if (now === undefined) return { text, words: '' }
  const time = parseTimeQuestion(text, Date.parse(now))
  if (time.event === undefined) return time
  const event = await findEventWindow(query, time.event, search)
  // An event that no memory describes is a part of the subject.
  if (event === undefined) return { ...time, text, event: undefined }
  return { ...time, window: event.window, eventId: event.id }
}

/** Filters and orders ranked rows by the time that the question names; without a question, only by rank. */
export function arrangeRows<Item extends { readonly row: MemoryRow }>(
  ranked: readonly RankedItem<Item>[],
  time: TimeQuestion | undefined,
) {
  const timed = ranked.map(({ item: { row }, score, coverage, relevance, isRelated }) => {
    const at = Date.parse(row.created_at)
    let stated: readonly TimeSpan[] | undefined
    return {
      row,
      text: row.content,
      score,
      coverage,
      relevance,
      isRelated,
      at,
      // Only when it is needed: reading the dates of a text takes longer than ranking it.
      getStated: () => (stated ??= findStatedDates(row.content, at)),
      place: row.row_id,
    }
  })
  return time === undefined ? timed.filter(({ isRelated }) => isRelated) : arrangeByTime(timed, time)
}
