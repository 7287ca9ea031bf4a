import { type PrefixTable, createPrefixTable, findNextPrefix, matchPrefix } from '../scan/prefix-table.ts'
import { ALPHANUMERIC, ESCAPE_END, getCharClasses } from '../text/chars.ts'
import { type Format, formats } from '../rules/formats.ts'
import { readsAsWords } from '../text/letter-odds.ts'
import { endAt, pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import { isFiller, looksRandom } from '../text/entropy.ts'

/** One prefix of one format. */
interface FormatPrefix {
  readonly start: string
  readonly format: Format
  readonly body: RegExp
}

/** Filled on first use: a prefix that never occurs is never compiled. */
interface CompiledFormats {
  readonly starts: PrefixTable
  readonly attempts: Map<string, readonly FormatPrefix[]>
}

/** What to try where a prefix matched: the longest first, then shorter ones it starts with. */
function attemptsFor(found: string): readonly FormatPrefix[] {
  return formats
    .flatMap((format) => format.starts.map((start) => ({ start, format })))
    .filter(({ start }) => found.startsWith(start))
    .sort((a, b) => b.start.length - a.start.length)
    .map(({ start, format }) => ({ start, format, body: new RegExp(format.body, 'y') }))
}

function knownAttempts({ attempts }: CompiledFormats, found: string): readonly FormatPrefix[] {
  const known = attempts.get(found)
  if (known) return known
  const made = attemptsFor(found)
  attempts.set(found, made)
  return made
}

/** A span, or the end of a body that turned out not to be a secret. */
interface FormatMatch {
  readonly span?: Span
  readonly end: number
}

const SHORTEST_PART = 16

/** Account numbers repeat their digits; one part that does not makes the whole a token. */
function isAllFiller(secret: string): boolean {
  if (!isFiller(secret)) return false
  return !secret.split('-').some((part) => part.length >= SHORTEST_PART && part !== secret && !isFiller(part))
}

function tryAt(text: string, index: number, attempts: readonly FormatPrefix[]): FormatMatch {
  let farthest = index
  for (const { start, format, body } of attempts) {
    body.lastIndex = index + start.length
    if (!body.test(text)) continue
    const end = body.lastIndex
    const secret = text.slice(index + start.length, end)
    if (!isAllFiller(secret) && (format.mustLookRandom ? looksRandom(secret) : !readsAsWords(secret)))
      return { span: { start: index, end, kind: format.kind }, end }
    farthest = Math.max(farthest, end)
  }
  return { end: farthest }
}

function compile(): CompiledFormats {
  return { starts: createPrefixTable(formats.flatMap((format) => format.starts)), attempts: new Map() }
}

/**
 * The prefix at an index, if a word starts there: after anything that is not a letter or digit, and also where an
 * escape ends, as in `\nghp_…` in JSON, `%3Dghp_…` in a query, `[31mghp_…` in terminal colours.
 */
function startAt(starts: PrefixTable, text: string, index: number): string | undefined {
  const before = index === 0 ? 0 : getCharClasses(text.charCodeAt(index - 1))
  const isInside = (before & ALPHANUMERIC) !== 0
  if (isInside && (before & ESCAPE_END) === 0) return undefined
  const start = matchPrefix(starts, text, index)
  return start !== undefined && isInside && endAt(pattern.escapeEnd, text, index) < 0 ? undefined : start
}

/** Finds credentials by their vendor's format. Compiles on first use, not on load. */
export function createFormatFinder(): (text: string) => Span[] {
  let compiled: CompiledFormats | undefined

  return (text) => {
    compiled ??= compile()
    const { starts } = compiled
    const spans: Span[] = []
    let next = 0
    for (let index = findNextPrefix(starts, text, 0); index >= 0; index = findNextPrefix(starts, text, next)) {
      next = index + 1
      const start = startAt(starts, text, index)
      if (start === undefined) continue
      const { span, end } = tryAt(text, index, knownAttempts(compiled, start))
      if (span) spans.push(span)
      // Also past a harmless body: trying again inside it would read `sk-sk-sk-…` once per prefix.
      next = Math.max(index + start.length, end)
    }
    return spans
  }
}
