import type { Holds } from '../scan/trigram-filter.ts'
import { pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import { isFiller, looksRandom } from '../text/entropy.ts'
import { isPlaceholder } from '../rules/secret-value.ts'

/** Shorter ones are settings: `theme=dark`, `lang=en`. */
const SHORTEST = 16
const HEADER_CHARS = 4_096

function isSession(value: string): boolean {
  if (value.length < SHORTEST || isPlaceholder(value) || isFiller(value)) return false
  return looksRandom(value) || pattern.hexOrId.test(value)
}

/** The values among the `name=value; …` of a range that can only be somebody's session. */
export function cookieSpans(text: string, start: number, end: number): Span[] {
  return Array.from(text.slice(start, end).matchAll(pattern.cookieField)).flatMap((found) => {
    const [whole, value = ''] = found
    const valueEnd = start + found.index + whole.length
    return isSession(value) ? [{ start: valueEnd - value.length, end: valueEnd, kind: 'cookie' }] : []
  })
}

/** What `Cookie:` and `Set-Cookie:` carry: one name among many may be a session's. */
export function findCookies(text: string, holds: Holds): Span[] {
  if (!holds('ookie')) return []
  const spans: Span[] = []
  let next = 0
  for (const found of text.matchAll(pattern.cookieHeader)) {
    const start = found.index + found[0].length
    if (start < next) continue
    const line = text.slice(start, start + HEADER_CHARS).search(pattern.headerEnd)
    next = line < 0 ? Math.min(text.length, start + HEADER_CHARS) : start + line
    spans.push(...cookieSpans(text, start, next))
  }
  return spans
}
