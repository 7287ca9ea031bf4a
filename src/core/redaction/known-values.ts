import { pattern } from './patterns.ts'
import type { Span } from './span.ts'
import { looksRandom } from './value.ts'

const SHORTEST_REPEAT = 10

/** The same secret again where nothing announces it: once found, a value is gone everywhere. */
export function findRepeats(text: string, spans: readonly Span[]): Span[] {
  const kinds = new Map<string, string>()
  for (const { start, end, kind } of spans) {
    const value = text.slice(start, end)
    if (value.length >= SHORTEST_REPEAT && (kind !== 'password' || looksRandom(value))) kinds.set(value, kind)
  }
  if (kinds.size === 0) return []
  const repeats: Span[] = []
  for (const word of text.matchAll(pattern.delimited)) {
    const kind = kinds.get(word[0])
    if (kind) repeats.push({ start: word.index, end: word.index + word[0].length, kind })
  }
  return repeats
}

/** As the value looks inside a JSON string and inside an address. */
function spellings(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]
}

/** Finds values known beforehand, longest first so that none hides behind its own beginning. */
export function createKnownValueFinder(values: readonly string[]): (text: string) => Span[] {
  const known = [...new Set(values.filter((value) => value !== '').flatMap(spellings))].sort(
    (a, b) => b.length - a.length,
  )
  if (known.length === 0) return () => []
  const regexp = new RegExp(known.map((value) => value.replace(pattern.special, '\\$&')).join('|'), 'g')

  return (text) =>
    Array.from(text.matchAll(regexp), (found) => ({
      start: found.index,
      end: found.index + found[0].length,
      kind: 'env-value',
    }))
}
