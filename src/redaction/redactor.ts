import type { Redactor } from '../kernel/ports/ports.ts'
import { createFormatFinder } from './find/find-formats.ts'
import { findPrivateKeys } from './find/find-private-keys.ts'
import { findInLines } from './find/find-in-lines.ts'
import { findAuthorizations, findLogins, findWebTokens } from './find/find-structures.ts'
import { withWrappedRests } from './find/find-wrapped.ts'
import { classifyByPreviousItem, replaceInItems } from './redact-items.ts'
import { unescapeNewlines } from './text/chars.ts'
import { type Span, isInsideMark, markFor, replaceSpans } from './text/span.ts'
import { DELIMITED, endOfRun } from './text/chars.ts'
import { pattern } from './text/patterns.ts'
import { looksRandom } from './text/entropy.ts'

const SHORTEST_REPEAT = 10
const LONGEST_REPEAT = 4_096

/** Finds further occurrences of a secret where no keyword marks them: a value that was found once is removed everywhere. */
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
    // Cheap check first: only a run as long as a value can be one.
    const kind = lengths.has(end - start) ? kinds.get(text.slice(start, end)) : undefined
    if (kind !== undefined) repeats.push({ start, end, kind })
  }
  return repeats
}

/** The value, and how it looks in a JSON string and in a URL. */
function listSpellings(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]
}

/** A shorter value may be part of other words by chance, so it counts only as a word of its own. */
const SHORTEST_PART = 8

function toPatternSource(value: string): string {
  const source = value.replace(pattern.special, '\\$&')
  // The letter of an escaped newline (`\n`) is not part of a word.
  return value.length < SHORTEST_PART ? `(?<!(?<!\\\\)[A-Za-z0-9_])${source}(?![A-Za-z0-9_])` : source
}

/** Finds known values, longest first, so that a value is not shadowed by its own prefix. */
function createKnownValueFinder(values: readonly string[]): (text: string) => Span[] {
  const known = [...new Set(values.filter((value) => value !== '').flatMap(listSpellings))].sort(
    (a, b) => b.length - a.length,
  )
  if (known.length === 0) return () => []
  const regexp = new RegExp(known.map(toPatternSource).join('|'), 'g')

  return (text) =>
    Array.from(text.matchAll(regexp), (found) => ({
      start: found.index,
      end: found.index + found[0].length,
      kind: 'env-value',
    }))
}

export interface RedactorOptions {
  /** Values known to be secret, such as those of the project's env files; removed wherever they occur. */
  readonly extraValues?: readonly string[]
}

/**
 * A replacement can put a name next to another value. So a text in which something was found is read again
 * until nothing is found; at most this many times, because text that needs more was made to be slow.
 */
const MAX_PASSES = 6

/** The shortest text that can hold a secret with its name (`pwd=abcd`). */
const SHORTEST_TEXT = 8

/** From this length on, copying the text pays off. */
const LONG_TEXT = 4_096

/**
 * The same text as one flat string. V8 keeps slices and concatenations as references and
 * resolves them for every character access; joining an array copies.
 */
function flatten(text: string): string {
  return text.length < LONG_TEXT ? text : [text.slice(0, 1), text.slice(1)].join('')
}

type Finder = (text: string) => Span[]

function findAll(text: string, finders: readonly Finder[]): Span[] {
  const spans: Span[] = []
  for (const find of finders) for (const span of find(text)) if (!isInsideMark(text, span.start)) spans.push(span)
  if (spans.length === 0) return spans
  const whole = withWrappedRests(unescapeNewlines(text), spans)
  return [...whole, ...findRepeats(text, whole)]
}

/** Finds and removes secrets in text. Pure, linear in the length of the text; patterns are compiled on first use. */
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
    let clean = flatten(text)
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const spans = findAll(clean, finders)
      if (spans.length === 0) return clean
      clean = replaceSpans(clean, spans)
    }
    return clean
  }

  /** Redacts the items as the lines of one text; undefined when nothing was found. */
  const redactLines = (items: readonly string[]): readonly string[] | undefined => {
    let clean: readonly string[] | undefined
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const before = clean ?? items
      const spans = findAll(flatten(before.join('\n')), finders)
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
        const kind = classifyByPreviousItem(texts[index - 1], text)
        return kind === undefined ? text : markFor(kind)
      })
      const clean = redactLines(named)
      // Each once more by itself: among others a text may have looked like part of something else.
      return clean === undefined ? (named.some((text, i) => text !== texts[i]) ? named : texts) : clean.map(redact)
    },
    findings(text) {
      if (text.length < SHORTEST_TEXT) return []
      return [...new Set(findAll(flatten(text), finders).map((span) => span.kind))]
    },
    isPiece(text) {
      return text !== '' && extraValues.some((value) => value.includes(text))
    },
  }
}
