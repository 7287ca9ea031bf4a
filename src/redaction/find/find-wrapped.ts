import { type PrefixTable, createPrefixTable, matchPrefix } from '../scan/prefix-table.ts'
import { codeAt, DELIMITED, endOfRun, isInClass, TOKEN_PART } from '../text/chars.ts'
import { createFormatFinder } from './find-formats.ts'
import { formats } from '../rules/formats.ts'
import { findWebTokens } from './find-structures.ts'
import { endAt, pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import { looksRandom } from '../text/entropy.ts'

const DOT = 46
const EQUALS = 61
const COLON = 58

const TOKEN_CHARS = 2_048
/** A shorter line below is the last part of a token. */
const FULL_WORD = 20
/** How often the text's length may be reassembled at most: bounds the cost of a text full of prefixes. */
const MOST_READS = 4
/** A shorter line was not wrapped. */
const FULL_LINE = 40
const SHORTEST_HEAD = 4
const SHORTEST_REST = 8
/** A backslash, `\r`, and the padding of an escaped newline. */
const BREAK_CHARS = 24

function isTokenSign(code: number): boolean {
  return isInClass(TOKEN_PART, code) || code === DOT
}

/** Characters between a wrapped word and its newline: a shell's backslash, quotes, punctuation of source code and tables. */
const BEHIND: ReadonlySet<number> = new Set(Array.from(' \r\\"\'`,+|', (sign) => sign.charCodeAt(0)))
const SMALL_R = 114
const BACKSLASH = 92

/** The end of the word that is wrapped at a newline. */
function endBeforeBreak(text: string, newline: number): number {
  let end = newline
  for (;;) {
    const code = codeAt(text, end - 1)
    if (BEHIND.has(code)) end -= 1
    else if (code === SMALL_R && codeAt(text, end - 2) === BACKSLASH) end -= 2
    else return end
  }
}

function startAfterBreak(text: string, newline: number): number {
  return Math.max(newline + 1, endAt(pattern.lineMargin, text, newline + 1))
}

/** A token reassembled from wrapped lines. */
interface JoinedToken {
  readonly text: string
  /** The offset of each character in the original text. */
  readonly places: readonly number[]
}

/** The word that is wrapped at a newline and its continuation: whole lines, then the start of one. */
function unwrap(text: string, from: number, newline: number): JoinedToken {
  const places: number[] = []
  const take = (start: number, end: number) => {
    for (let index = start; index < end; index += 1) places.push(index)
  }
  take(from, endBeforeBreak(text, newline))
  let line = newline
  while (places.length < TOKEN_CHARS) {
    const start = startAfterBreak(text, line)
    let end = start
    while (end < start + TOKEN_CHARS && isTokenSign(codeAt(text, end))) end += 1
    if (end === start) break
    take(start, end)
    const next = text.slice(end, end + BREAK_CHARS).indexOf('\n')
    if (end - start < FULL_WORD || next < 0 || endBeforeBreak(text, end + next) !== end) break
    line = end + next
  }
  return { text: places.map((place) => text[place]).join(''), places }
}

/** Tokens of a vendor's format that a terminal, a mail or a backslash wrapped. */
export function createWrappedFinder(): (text: string) => Span[] {
  let starts: PrefixTable | undefined
  const findFormats = createFormatFinder()

  function spansIn(unwrapped: JoinedToken, from: number, newline: number): Span[] {
    return [...findFormats(unwrapped.text), ...findWebTokens(unwrapped.text)].flatMap(({ start, end, kind }) => {
      const first = unwrapped.places[start] ?? from
      const last = unwrapped.places[end - 1] ?? from
      return first < newline && last > newline ? [{ start: first, end: last + 1, kind }] : []
    })
  }

  return (text) => {
    const spans: Span[] = []
    starts ??= createPrefixTable([...formats.flatMap((format) => format.starts), 'eyJ'])
    let done = 0
    let readsLeft = MOST_READS * text.length + TOKEN_CHARS
    for (let newline = text.indexOf('\n'); newline >= 0; newline = text.indexOf('\n', newline + 1)) {
      if (newline < done) continue
      const end = endBeforeBreak(text, newline)
      if (!isTokenSign(codeAt(text, end - 1))) continue
      let from = end - 1
      while (from > 0 && end - from < TOKEN_CHARS && isTokenSign(text.charCodeAt(from - 1))) from -= 1
      if (end - from < SHORTEST_HEAD || matchPrefix(starts, text, from) === undefined) continue
      // Complete already: the next line decides whether it continues.
      const head = text.slice(from, end)
      if ([...findFormats(head), ...findWebTokens(head)].some((span) => span.end === head.length)) continue
      const unwrapped = unwrap(text, from, newline)
      readsLeft -= unwrapped.text.length
      if (readsLeft < 0) break
      for (const span of spansIn(unwrapped, from, newline)) {
        spans.push(span)
        done = Math.max(done, span.end)
      }
    }
    return spans
  }
}

/** Whether a line was wrapped because it was full, or ends with a backslash. */
function isBroken(text: string, end: number, newline: number): boolean {
  if (text.slice(end, newline).includes('\\')) return true
  return newline - text.lastIndexOf('\n', newline - 1) > FULL_LINE
}

function restAfter(text: string, end: number): number {
  const next = text.slice(end, end + BREAK_CHARS).indexOf('\n')
  const newline = end + next
  if (next < 0 || endBeforeBreak(text, newline) !== end || !isBroken(text, end, newline)) return -1
  const start = startAfterBreak(text, newline)
  const stop = endOfRun(DELIMITED, text, start, TOKEN_CHARS)
  const rest = text.slice(start, stop)
  const isName = codeAt(text, stop - 1) === COLON || rest.includes('=', 1) || codeAt(text, stop) === EQUALS
  if (rest.length < SHORTEST_REST || isName || !pattern.tokenChars.test(rest)) return -1
  return looksRandom(rest) && !pattern.hashOrId.test(rest) ? stop : -1
}

/** Extends spans whose value was wrapped onto the following lines. */
export function withWrappedRests(text: string, spans: readonly Span[]): readonly Span[] {
  return spans.map((span) => {
    let { end } = span
    for (let rest = restAfter(text, end); rest > end; rest = restAfter(text, end)) end = rest
    return end === span.end ? span : { ...span, end }
  })
}
