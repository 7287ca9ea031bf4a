import { isOf, KEY_LETTER } from '../text/chars.ts'
import { endOfKeyLine, isEmptyLine, isKeyLine, isShortKeyLine, startOfBlankWords } from '../scan/key-lines.ts'
import { endAt, pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'

const KIND = 'private-key'
/** Fewer letters than this between the lines is an example, not a key. */
const KEY_LETTERS = 16
/** A key and its armour fit well within this; a wider gap means that the two lines belong to different blocks. */
const BLOCK_CHARS = 32_768
/** More than a line of a key with all that may stand around it. */
const LINE_CHARS = 720
/** The last line of a body and PGP's checksum are short. */
const SHORT_LINES = 2

interface Armour {
  readonly isBegin: boolean
  readonly start: number
  readonly end: number
}

function hasKeyLetters(text: string, from: number, to: number): boolean {
  let letters = 0
  for (let index = from; index < to && letters < KEY_LETTERS; index += 1)
    if (isOf(KEY_LETTER, text.charCodeAt(index))) letters += 1
  return letters >= KEY_LETTERS
}

/** Where a block that was cut off stops looking like one. */
function bodyEnd(text: string, from: number): number {
  let end = from
  for (;;) {
    const next = Math.max(endAt(pattern.keyLine, text, end), endOfKeyLine(text, end))
    if (next <= end) return end
    end = next
  }
}

function lineStartBefore(text: string, end: number, floor: number): number {
  // No line of a key is longer, and looking farther would read a text without line ends again for every closing one.
  const from = Math.max(floor, end - LINE_CHARS)
  const before = text.slice(from, end)
  const line = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'))
  return line < 0 && from > floor ? -1 : from + line + 1
}

/** The first, going up, of the lines above a closing one that can only be a key's. */
function bodyStart(text: string, to: number, floor: number): number {
  let top = startOfBlankWords(text, to, floor)
  let end = top
  let short = 0
  // The closing line itself first: what stands before it there is its margin.
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
  // Only as far as the next line of armour: a line that looks like a part of this key may begin another, and to read
  // all of them again for each takes time that grows with their square.
  const body = text.slice(begin.end, end?.start)
  const stop = isWhole ? end.end : begin.end + bodyEnd(body, 0)
  const isKey = hasKeyLetters(text, begin.end, isWhole ? end.start : stop)
  return isKey ? { start: begin.start, end: stop, kind: KIND } : undefined
}

/** Private keys in PEM armour: whole, cut off after their beginning, or with only their end left; and PuTTY's. */
export function findPrivateKeys(text: string): Span[] {
  return [...(text.includes('PRIVATE KEY') ? armouredKeys(text) : []), ...puttyKeys(text)]
}

function puttyKeys(text: string): Span[] {
  if (!text.includes('Private-Lines')) return []
  let readTo = 0
  return Array.from(text.matchAll(pattern.puttyLines)).flatMap((found) => {
    const start = found.index + found[0].length
    // Within what was read already: to read it again for every such line takes time that grows with its square.
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
