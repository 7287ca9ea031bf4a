import { DELIMITED, endOfRun } from './text/chars.ts'
import { pattern } from './text/patterns.ts'
import type { Span } from './text/span.ts'
import { looksRandom } from './text/entropy.ts'

const SHORTEST_REPEAT = 10
const LONGEST_REPEAT = 4_096

/** The same secret again where nothing announces it: once found, a value is gone everywhere. */
export function findRepeats(text: string, spans: readonly Span[]): Span[] {
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
export function createKnownValueFinder(values: readonly string[]): (text: string) => Span[] {
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
