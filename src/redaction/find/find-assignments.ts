import type { Announcement } from '../rules/secret-keywords.ts'
import { nameEndAfter, nextAnnouncement } from '../rules/secret-keywords.ts'
import { BARE, endOfRun } from '../text/chars.ts'
import { createNextEscape } from '../text/newlines.ts'
import { linkAfter } from '../scan/find-binding.ts'
import { nameStart, strengthOf } from '../rules/secret-name.ts'
import { createNextSign } from '../text/next-character.ts'
import { isNoted, notedBefore } from '../scan/trailing-label.ts'
import { fieldBehindValue, pairSpanBefore } from '../scan/paired-fields.ts'
import { namesMap, readSecretMap } from '../rules/secret-map.ts'
import type { Span } from '../text/span.ts'
import type { AnnouncedName } from '../scan/binding.ts'
import type { NameStrength } from '../rules/secret-value.ts'
import { createEndWithSigns } from '../scan/value-end.ts'
import type { Linked } from '../scan/assigned-value.ts'
import { spansBehind, spansWithEscapes, VALUE_CHARS } from '../scan/assigned-value.ts'

/** Names inside one unbroken run of characters that may fail before the rest of the run is passed over: keeps `key=key=key=…` linear. */
const MISSES_PER_RUN = 8

/** Only of a bare `key` it matters what stands before it; words as short as that are few. */
const KEY_CHARS = 3

function wordBefore(text: string, index: number): string {
  const sign = text[index - 1]
  if (sign === ' ') return text.slice(nameStart(text, index - 1), index - 1)
  return sign === '?' || sign === '&' ? sign : ''
}

function nameOf(text: string, found: Announcement, end: number): AnnouncedName {
  return { start: nameStart(text, found.start), word: found.start, end }
}

function strengthAt(text: string, { word }: Announcement, name: AnnouncedName): NameStrength | undefined {
  const isBareKey = name.start === name.word && word.length === KEY_CHARS
  const before = text.slice(name.start, name.word)
  return strengthOf({ word, before, wordBefore: isBareKey ? wordBefore(text, name.word) : '' })
}

/** The announcing word as a name, when a value is tied to it and the name says something about values. */
function linkedAt(text: string, found: Announcement, name: AnnouncedName): Linked | undefined {
  const link = linkAfter(text, name)
  if (link === undefined) return undefined
  const strength = strengthAt(text, found, name)
  if (strength === undefined) return undefined
  const { start, word, end } = name
  return { start, end, before: text.slice(start, word), strength, tie: link.tie, valueStart: link.end }
}

/** The secret that stands before its name: in the field before, or in front of what a note says about it. */
function spanBefore(text: string, found: Announcement, name: AnnouncedName): Span | undefined {
  const field = fieldBehindValue(text, name)
  if (field >= 0) {
    const strength = strengthAt(text, found, name)
    return strength && pairSpanBefore(text, field, strength)
  }
  const noted = notedBefore(text, name)
  const strength = noted && strengthAt(text, found, name)
  if (!noted || !strength || !isNoted(text.slice(noted.start, noted.end), strength)) return undefined
  return { ...noted, kind: strength === 'password' ? 'password' : 'secret' }
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

/** Values behind a name that announces a secret: `password: …`, `API_KEY=…`, `--token …`, `<secret>…`; in a text, and in the same with its line ends as it writes them. */
export function findAssignments(text: string, written: string = text): Span[] {
  const spans: Span[] = []
  const nextTag = createNextSign(text, '<')
  const nextEscape = createNextEscape(written)
  const endWithSigns = createEndWithSigns(text)
  let run: Run = { start: 0, end: 0 }
  let misses = 0
  let mapEnd = 0
  let next = 0
  for (let found = nextAnnouncement(text, 0); found !== undefined; found = nextAnnouncement(text, next)) {
    next = found.end
    const end = nameEndAfter(text, found.end)
    if (end < 0) continue
    const name = nameOf(text, found, end)
    const linked = linkedAt(text, found, name)
    if (!linked) {
      const before = spanBefore(text, found, name)
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
    if (written !== text) spans.push(...spansWithEscapes(written, linked, { nextTag, nextEscape }))
    const bareEnd = bareEndIn(run, text, linked.valueStart)
    const behind = spansBehind(text, linked, { bareEnd, nextTag, endWithSigns })
    const last = behind.at(-1)
    if (last === undefined) {
      misses += 1
      if (linked.valueStart >= mapEnd && namesMap(text, linked)) {
        const map = readSecretMap(text, linked)
        mapEnd = map.end
        spans.push(...map.spans)
      }
      continue
    }
    next = Math.max(next, last.end)
    spans.push(...behind)
  }
  return spans
}
