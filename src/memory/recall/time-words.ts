import { findDates, type TimeSpan } from './stated-dates.ts'

/** Open on a side that is absent. */
export interface TimeWindow {
  readonly from?: number
  readonly to?: number
}

/** Something that happened, by which the question names a time: "before the release". */
export interface TimeEvent {
  readonly side: 'before' | 'after'
  readonly text: string
}

export interface TimeQuestion {
  /** The question without its words of time. */
  readonly text: string
  /** Those words: a statement may have them too. */
  readonly words: string
  readonly window?: TimeWindow
  readonly order?: 'newest' | 'oldest'
  readonly event?: TimeEvent
}

const UNITS = '(?:hours?|days?|weeks?|months?|years?|time|name)'
const NEWEST = new RegExp(
  `\\b(?:latest|newest|most recent(?:ly)?|recent(?:ly)?|current(?:ly)?|right now|now(?:adays)?|these days|at the moment|up to date|the last(?= [a-z])(?! (?:of|${UNITS})\\b)|(?<=\\b(?:my|our|your|his|her|their|its|whose) )last(?= [a-z]))\\b`,
  'gi',
)
const OLDEST =
  /\b(?:earliest|oldest|original(?:ly)?|initial(?:ly)?|at first|in the beginning|at the start|first(?! (?:name|aid|class|person|page)\b))\b/gi

const RELATION =
  /\b(before|until|till|prior to|after|since|following|from|between|in|on|during|over|within|of)\s+(?:the\s+)?$/i
const EVENT =
  /\b(before|until|prior to|after|since|following)\s+((?:(?:the|our|my|we|i|they|he|she|it)\s+)?[^?.!;,]{3,80})/i

interface Cut {
  readonly index: number
  readonly end: number
}

function removeParts(text: string, parts: readonly Cut[]): { readonly text: string; readonly words: string } {
  let left = ''
  let at = 0
  const removed: string[] = []
  for (const { index, end } of parts.toSorted((a, b) => a.index - b.index)) {
    if (index < at) continue
    left += `${text.slice(at, index)} `
    removed.push(text.slice(index, end))
    at = end
  }
  return { text: `${left}${text.slice(at)}`.replace(/\s+/g, ' ').trim(), words: removed.join(' ') }
}

function toWindow(relation: string, { from, to }: TimeSpan): TimeWindow {
  if (['before', 'until', 'till', 'prior to'].includes(relation)) return { to: from }
  if (['after', 'following'].includes(relation)) return { from: to }
  if (relation === 'since' || relation === 'from') return { from }
  return { from, to }
}

/** What a question says about time, seen from `now`: which time it means, and whether the newest or the oldest is asked for. */
export function parseTimeQuestion(text: string, now: number): TimeQuestion {
  const dates = findDates(text, now, { isQuestion: true })
  const [first, second] = dates
  const cuts: Cut[] = []
  let window: TimeWindow | undefined
  let event: TimeEvent | undefined
  if (first !== undefined) {
    const relation = RELATION.exec(text.slice(0, first.index))
    const word = relation?.[1]?.toLowerCase() ?? ''
    const isRange = second !== undefined && /^\s*(?:and|to|until|till|-)\s*$/i.test(text.slice(first.end, second.index))
    window = isRange ? { from: first.from, to: second.to } : toWindow(word, first)
    cuts.push({ index: first.index - (relation?.[0].length ?? 0), end: isRange ? second.end : first.end })
  } else {
    const named = EVENT.exec(text)
    const [whole = '', relation = '', what = ''] = named ?? []
    if (named !== null) {
      const side = /after|since|following/i.test(relation) ? 'after' : 'before'
      event = { side, text: what.trim() }
      cuts.push({ index: named.index, end: named.index + whole.length })
    }
  }
  const isCut = (index: number) => cuts.some((cut) => index >= cut.index && index < cut.end)
  const findWords = (pattern: RegExp): readonly Cut[] =>
    Array.from(text.matchAll(pattern), ({ index, 0: word }) => ({ index, end: index + word.length })).filter(
      ({ index }) => !isCut(index),
    )
  const [newest, oldest] = [findWords(NEWEST), findWords(OLDEST)]
  const order = newest.length > 0 ? 'newest' : oldest.length > 0 ? 'oldest' : undefined
  return {
    ...removeParts(text, [...cuts, ...newest, ...oldest]),
    ...(window !== undefined && { window }),
    ...(order !== undefined && { order }),
    ...(event !== undefined && { event }),
  }
}
