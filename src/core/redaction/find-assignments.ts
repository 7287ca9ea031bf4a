import type { Announcement } from './announcements.ts'
import { nameEndAfter, nextAnnouncement } from './announcements.ts'
import { BARE, endOfRun } from './chars.ts'
import { linkAfter } from './links.ts'
import { nameStart, strengthOf } from './name.ts'
import { mayStandBehind, spanBefore } from './note-before.ts'
import type { Span } from './span.ts'
import type { Linked } from './values-behind.ts'
import type { NameStrength } from './value.ts'
import { spansBehind, VALUE_CHARS } from './values-behind.ts'

/** Names inside one unbroken run of characters that may fail before the rest of the run is passed over: keeps `key=key=key=…` linear. */
const MISSES_PER_RUN = 8

/** Only of a bare `key` it matters what stands before it; words as short as that are few. */
const KEY_CHARS = 3

function wordBefore(text: string, index: number): string {
  const sign = text[index - 1]
  if (sign === ' ') return text.slice(nameStart(text, index - 1), index - 1)
  return sign === '?' || sign === '&' ? sign : ''
}

function strengthAt(text: string, { word, start: index }: Announcement, start: number): NameStrength | undefined {
  const isBareKey = start === index && word.length === KEY_CHARS
  return strengthOf({ word, before: text.slice(start, index), wordBefore: isBareKey ? wordBefore(text, index) : '' })
}

/** The announcing word as a name, when a value is tied to it and the name says something about values. */
function linkedAt(text: string, found: Announcement, end: number): Linked | undefined {
  const link = linkAfter(text, found.start, end)
  if (link === undefined) return undefined
  const start = nameStart(text, found.start)
  const strength = strengthAt(text, found, start)
  return (
    strength && { start, end, before: text.slice(start, found.start), strength, tie: link.tie, valueStart: link.end }
  )
}

function behindValue(text: string, found: Announcement, end: number): Span | undefined {
  const start = nameStart(text, found.start)
  if (!mayStandBehind(text, start, end)) return undefined
  const strength = strengthAt(text, found, start)
  return strength && spanBefore(text, { start, end, strength })
}

/** An unbroken run of characters, any end of which could be a value without quotes. */
interface Run {
  readonly start: number
  readonly end: number
}

function runAt(text: string, start: number): Run {
  return { start, end: endOfRun(BARE, text, start, VALUE_CHARS) }
}

/** Where a value without quotes ends that begins inside the run: with the run, unless that was too long to be read to its end. */
function bareEndIn(run: Run, text: string, start: number): number {
  if (run.end - run.start < VALUE_CHARS) return run.end
  return endOfRun(BARE, text, run.end, start + VALUE_CHARS - run.end)
}

/** Values behind a name that announces a secret: `password: …`, `API_KEY=…`, `--token …`, `<secret>…`. */
export function findAssignments(text: string): Span[] {
  const spans: Span[] = []
  let run: Run = { start: 0, end: 0 }
  let misses = 0
  let next = 0
  for (let found = nextAnnouncement(text, 0); found !== undefined; found = nextAnnouncement(text, next)) {
    next = found.end
    const end = nameEndAfter(text, found.end)
    if (end < 0) continue
    const linked = linkedAt(text, found, end)
    if (!linked) {
      const before = behindValue(text, found, end)
      if (before) spans.push(before)
      continue
    }
    if (linked.valueStart >= run.end) {
      run = runAt(text, linked.valueStart)
      misses = 0
    } else if (misses >= MISSES_PER_RUN) {
      next = Math.max(run.end, next)
      continue
    }
    const behind = spansBehind(text, linked, bareEndIn(run, text, linked.valueStart))
    const last = behind.at(-1)
    if (last === undefined) {
      misses += 1
      continue
    }
    next = Math.max(next, last.end)
    spans.push(...behind)
  }
  return spans
}
