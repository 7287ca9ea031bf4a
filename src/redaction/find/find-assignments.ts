import { type Announcement, nameEndAfter, nextAnnouncement } from '../rules/secret-keywords.ts'
import { BARE, endOfRun, codeAt } from '../text/chars.ts'
import { createNextEscape } from '../text/newlines.ts'
import { linkAfter } from '../scan/find-binding.ts'
import { nameStart, strengthOf } from '../rules/secret-name.ts'
import { createNextSign } from '../text/next-character.ts'
import { isNoted, notedBefore } from '../scan/trailing-label.ts'
import { fieldBehindValue, pairSpanBefore } from '../scan/paired-fields.ts'
import type { Span } from '../text/span.ts'
import type { AnnouncedName } from '../scan/binding.ts'
import { type NameStrength, isSecretBehindName } from '../rules/secret-value.ts'
import { createEndWithSigns } from '../scan/value-end.ts'
import { type Linked, spansBehind, spansWithEscapes, VALUE_CHARS } from '../scan/assigned-value.ts'
import { pattern } from '../text/patterns.ts'
import { looksDrawn } from '../text/entropy.ts'

/** As far as a map of secrets is read. */
const MAP_CHARS = 512

const NEWLINE = 10
const RETURN = 13
const SMALL_S = 115
const OPENING = 123

/** Whether a name says that all in the map behind it is secret: `secrets`, `credentials`, `passwords`. */
function namesMap(text: string, { end, valueStart, strength, tie }: Linked): boolean {
  if (tie !== 'assignment' || (codeAt(text, end - 1) | 32) !== SMALL_S) return false
  if (strength === 'key' || strength === 'bare-key' || strength === 'pass') return false
  const code = codeAt(text, valueStart)
  return code === OPENING || code === NEWLINE || code === RETURN
}

interface SecretMap {
  readonly spans: readonly Span[]
  readonly end: number
}

function endOfMap(text: string, start: number): number {
  const part = text.slice(start, start + MAP_CHARS)
  const found = codeAt(text, start) === OPENING ? part.indexOf('}') : part.search(pattern.outdent)
  return found < 0 ? start + part.length : start + found
}

/** `secrets = { conn = "…" }`: the values of a map that its name makes secret, as far as nothing but a secret may look like them. */
function readSecretMap(text: string, { valueStart }: Linked): SecretMap {
  const end = endOfMap(text, valueStart)
  const spans: Span[] = []
  for (const found of text.slice(valueStart, end).matchAll(pattern.mapField)) {
    const value = found[1] ?? ''
    if (!looksDrawn(value) || pattern.hashOrId.test(value)) continue
    if (!isSecretBehindName({ value, strength: 'secret', isLiteral: false })) continue
    const valueEnd = valueStart + found.index + found[0].length
    spans.push({ start: valueEnd - value.length, end: valueEnd, kind: 'secret' })
  }
  return { spans, end }
}

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
