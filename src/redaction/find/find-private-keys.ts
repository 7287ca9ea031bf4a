import { isInClass, KEY_LETTER } from '../text/chars.ts'
import { endOfKeyLine, isEmptyLine, isKeyLine, isShortKeyLine, startOfSpacedWords } from '../scan/key-lines.ts'
import { endAt, pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'

const KIND = 'private-key'
/** Fewer characters than this between the armour lines are an example, not a key. */
const KEY_LETTERS = 16
/** A key with its armour is shorter; a wider gap means that the two lines belong to different blocks. */
const BLOCK_CHARS = 32_768
/** Longer than any line of a key with its margin. */
const LINE_CHARS = 720
/** The last line of a body and the PGP checksum are short. */
const SHORT_LINES = 2

interface Armour {
  readonly isBegin: boolean
  readonly start: number
  readonly end: number
}

function hasKeyLetters(text: string, from: number, to: number): boolean {
  let letters = 0
  for (let index = from; index < to && letters < KEY_LETTERS; index += 1)
    if (isInClass(KEY_LETTER, text.charCodeAt(index))) letters += 1
  return letters >= KEY_LETTERS
}

/** The end of a truncated block. */
function bodyEnd(text: string, from: number): number {
  let end = from
  for (;;) {
    const next = Math.max(endAt(pattern.keyLine, text, end), endOfKeyLine(text, end))
    if (next <= end) return end
    end = next
  }
}

function lineStartBefore(text: string, end: number, floor: number): number {
  // No line of a key is longer, and looking further would reread a text without newlines for every closing line.
  const from = Math.max(floor, end - LINE_CHARS)
  const before = text.slice(from, end)
  const line = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'))
  return line < 0 && from > floor ? -1 : from + line + 1
}

/** The start of the lines above a closing line that can only be a key's. */
function bodyStart(text: string, to: number, floor: number): number {
  let top = startOfSpacedWords(text, to, floor)
  let end = top
  let short = 0
  // The closing line itself first: what precedes it on its line is its margin.
  for (let isClosing = top === to; ; isClosing = false) {
    const start = lineStartBefore(text, end, floor)
    if (start < 0) return top
    if (pattern.base64Line.test(text.slice(start, end).trimEnd()) || isKeyLine(text, start, end)) top = start
    else if (top === to && !isClosing && short < SHORT_LINES && isShortKeyLine(text, start, end)) short += 1
    else if (!isClosing && !isEmptyLine(text, start, end)) return top
    if (start <= floor) return top
    end = start - 1
  }
}

function blockSpan(text: string, begin: Armour, end: Armour | undefined): Span | undefined {
  const isWhole = end !== undefined && !end.isBegin && end.start - begin.end <= BLOCK_CHARS
  // Only up to the next armour line: a line that looks like part of this key may start another, and reading
  // all of them again for each takes quadratic time.
  const body = text.slice(begin.end, end?.start)
  const stop = isWhole ? end.end : begin.end + bodyEnd(body, 0)
  const isKey = hasKeyLetters(text, begin.end, isWhole ? end.start : stop)
  return isKey ? { start: begin.start, end: stop, kind: KIND } : undefined
}

/** Private keys in PEM armour: whole, truncated, or with only their end left; and PuTTY keys. */
export function findPrivateKeys(text: string): Span[] {
  return [...(text.includes('PRIVATE KEY') ? armouredKeys(text) : []), ...puttyKeys(text), ...privateSpans(text)]
}

const SPAN_MARK = /<\s{0,4}(\/?)\s{0,4}private(?:\s[^<>]{0,200})?>/gi

interface OpenMark {
  readonly start: number
  /** Directly between backticks: it may only be mentioned. */
  readonly isQuoted: boolean
}

/** Drops spans inside another, which comes after them. */
function withoutInner(spans: readonly Span[]): Span[] {
  let firstStart = Number.POSITIVE_INFINITY
  return spans
    .toReversed()
    .filter(({ start }) => {
      if (start > firstStart) return false
      firstStart = start
      return true
    })
    .toReversed()
}

/**
 * What the user put between `<private>` and `</private>`, with spans inside it; without an end, up to the end of the text, unless the
 * opening mark is quoted and so only spoken of.
 */
function privateSpans(text: string): Span[] {
  const spans: Span[] = []
  const open: OpenMark[] = []
  for (const { index, 0: mark, 1: slash } of text.matchAll(SPAN_MARK)) {
    const end = index + mark.length
    if (slash === '') open.push({ start: index, isQuoted: text[index - 1] === '`' && text[end] === '`' })
    else {
      const start = open.pop()?.start
      if (start !== undefined) spans.push({ start, end, kind: 'private' })
    }
  }
  const unclosed = open.find(({ isQuoted }) => !isQuoted)
  if (unclosed !== undefined) spans.push({ start: unclosed.start, end: text.length, kind: 'private' })
  return withoutInner(spans)
}

function puttyKeys(text: string): Span[] {
  if (!text.includes('Private-Lines')) return []
  let readTo = 0
  return Array.from(text.matchAll(pattern.puttyLines)).flatMap((found) => {
    const start = found.index + found[0].length
    // Already read: reading it again for every such line takes quadratic time.
    if (start < readTo) return []
    const end = bodyEnd(text, start)
    readTo = end
    return hasKeyLetters(text, start, end) ? [{ start, end, kind: KIND }] : []
  })
}

function armouredKeys(text: string): Span[] {
  const armour: Armour[] = Array.from(text.matchAll(pattern.keyArmour), (found) => ({
    isBegin: found[1] === 'BEGIN',
    start: found.index,
    end: found.index + found[0].length,
  }))
  return armour.flatMap((line, index) => {
    const before = armour[index - 1]
    if (line.isBegin) return blockSpan(text, line, armour[index + 1]) ?? []
    if (before?.isBegin && line.start - before.end <= BLOCK_CHARS) return []
    const start = bodyStart(text, line.start, before?.end ?? 0)
    return start < line.start ? { start, end: line.end, kind: KIND } : []
  })
}
