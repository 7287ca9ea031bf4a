import type { Redactor } from '../kernel/ports/ports.ts'
import { createFormatFinder } from './find/find-formats.ts'
import { findPrivateKeys } from './find/find-private-keys.ts'
import { findInLines } from './find/find-in-lines.ts'
import { findAuthorizations, findLogins, findWebTokens } from './find/find-structures.ts'
import { withWrappedRests } from './find/find-wrapped.ts'
import { kindByItemBefore, replaceInItems } from './redact-items.ts'
import { withLineEnds } from './text/newlines.ts'
import { type Span, isInsideMark, markFor, replaceSpans } from './text/span.ts'
import { DELIMITED, endOfRun } from './text/chars.ts'
import { pattern } from './text/patterns.ts'
import { looksRandom } from './text/entropy.ts'

const SHORTEST_REPEAT = 10
const LONGEST_REPEAT = 4_096

/** The same secret again where nothing announces it: once found, a value is gone everywhere. */
function findRepeats(text: string, spans: readonly Span[]): Span[] {
  const kinds = new Map<string, string>()
  for (const { start, end, kind } of spans) {
    const value = text.slice(start, end)
    if (value.length >= SHORTEST_REPEAT && (kind !== 'password' || looksRandom(value))) kinds.set(value, kind)
  }
  if (kinds.size === 0) return []
  const lengths = new Set(Array.from(kinds.keys(), (value) => value.length))
  const repeats: Span[] = []
  let end = 0
  for (let start = 0; start < text.length; start = Math.max(end, start + 1)) {
    end = endOfRun(DELIMITED, text, start, LONGEST_REPEAT)
    // Only what is as long as a value can be one, and is worth being cut out and compared.
    const kind = lengths.has(end - start) ? kinds.get(text.slice(start, end)) : undefined
    if (kind !== undefined) repeats.push({ start, end, kind })
  }
  return repeats
}

/** As the value looks inside a JSON string and inside an address. */
function spellings(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]
}

/** A shorter value may be a part of other words by chance, and counts only as a word of its own. */
const SHORTEST_PART = 8

function sourceOf(value: string): string {
  const source = value.replace(pattern.special, '\\$&')
  // The letter of an escaped line end belongs to no word.
  return value.length < SHORTEST_PART ? `(?<!(?<!\\\\)[A-Za-z0-9_])${source}(?![A-Za-z0-9_])` : source
}

/** Finds values known beforehand, longest first so that none hides behind its own beginning. */
function createKnownValueFinder(values: readonly string[]): (text: string) => Span[] {
  const known = [...new Set(values.filter((value) => value !== '').flatMap(spellings))].sort(
    (a, b) => b.length - a.length,
  )
  if (known.length === 0) return () => []
  const regexp = new RegExp(known.map(sourceOf).join('|'), 'g')

  return (text) =>
    Array.from(text.matchAll(regexp), (found) => ({
      start: found.index,
      end: found.index + found[0].length,
      kind: 'env-value',
    }))
}

export interface RedactorOptions {
  /** Values known to be secret, such as those of the project's env files; removed wherever they stand. */
  readonly extraValues?: readonly string[]
}

/**
 * A replacement can bring a name and another value together. So a text in which something was found is read again
 * until nothing is; this many times at most, because text that keeps surprising us was written to.
 */
const MAX_PASSES = 6

/** Nothing shorter can be a secret behind a name (`pwd=abcd`). */
const SHORTEST_TEXT = 8

/** From here on a copy of the text is worth what it costs. */
const LONG_TEXT = 4_096

/**
 * The same text in one piece of memory. V8 leaves what was cut out of a longer text, or put together, as it is, and
 * finds the place anew for every character that is asked for; joining is what makes it copy.
 */
function inOnePiece(text: string): string {
  return text.length < LONG_TEXT ? text : [text.slice(0, 1), text.slice(1)].join('')
}

type Finder = (text: string) => Span[]

function findAll(text: string, finders: readonly Finder[]): Span[] {
  const spans: Span[] = []
  for (const find of finders) for (const span of find(text)) if (!isInsideMark(text, span.start)) spans.push(span)
  if (spans.length === 0) return spans
  const whole = withWrappedRests(withLineEnds(text), spans)
  return [...whole, ...findRepeats(text, whole)]
}

/** Finds secrets in text and takes them out. Pure, linear in the text, and compiled on first use. */
export function createRedactor({ extraValues = [] }: RedactorOptions = {}): Redactor {
  const finders: readonly Finder[] = [
    createKnownValueFinder(extraValues),
    createFormatFinder(),
    findPrivateKeys,
    findWebTokens,
    findLogins,
    findAuthorizations,
    findInLines,
  ]

  const redact = (text: string): string => {
    if (text.length < SHORTEST_TEXT) return text
    let clean = inOnePiece(text)
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const spans = findAll(clean, finders)
      if (spans.length === 0) return clean
      clean = replaceSpans(clean, spans)
    }
    return clean
  }

  /** What is found in the items as the lines of one text; undefined when nothing is. */
  const redactLines = (items: readonly string[]): readonly string[] | undefined => {
    let clean: readonly string[] | undefined
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const before = clean ?? items
      const spans = findAll(inOnePiece(before.join('\n')), finders)
      const after = spans.length === 0 ? undefined : replaceInItems(before, spans)
      if (after === undefined) break
      clean = after
    }
    return clean
  }

  return {
    redact,
    redactAll(texts) {
      if (texts.length < 2) return texts.map(redact)
      const named = texts.map((text, index) => {
        const kind = kindByItemBefore(texts[index - 1], text)
        return kind === undefined ? text : markFor(kind)
      })
      const clean = redactLines(named)
      // By themselves once more: among others a text may have looked like a part of something else.
      return clean === undefined ? (named.some((text, i) => text !== texts[i]) ? named : texts) : clean.map(redact)
    },
    findings(text) {
      if (text.length < SHORTEST_TEXT) return []
      return [...new Set(findAll(inOnePiece(text), finders).map((span) => span.kind))]
    },
    isPiece(text) {
      return text !== '' && extraValues.some((value) => value.includes(text))
    },
  }
}
