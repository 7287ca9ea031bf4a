import { aiFormats } from './formats/ai.ts'
import { cloudFormats } from './formats/cloud.ts'
import { codeHostingFormats } from './formats/code-hosting.ts'
import { commerceFormats } from './formats/commerce.ts'
import type { Format } from './formats/format.ts'
import { messagingFormats } from './formats/messaging.ts'
import { pattern } from './patterns.ts'
import type { Span } from './span.ts'
import { isFiller, looksRandom } from './value.ts'

export const formats: readonly Format[] = [
  ...aiFormats,
  ...cloudFormats,
  ...codeHostingFormats,
  ...commerceFormats,
  ...messagingFormats,
]

/**
 * A word starts after anything that is no letter or digit, and also where an escape ends: `\nghp_…` in JSON,
 * `%3Dghp_…` in a query, `[31mghp_…` in a terminal's colours.
 */
export const WORD_START = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbf]|%[0-9A-Fa-f]{2}|\\[[0-9;]{1,8}m))'

export function anchorSource(list: readonly Format[]): string {
  const starts = [...new Set(list.flatMap((format) => format.starts))].sort((a, b) => b.length - a.length)
  return `${WORD_START}(?:${starts.map((start) => start.replace(pattern.special, '\\$&')).join('|')})`
}

/** One beginning of one format. */
interface Attempt {
  readonly kind: string
  readonly start: string
  readonly body: RegExp
  readonly mustLookRandom: boolean
}

interface Compiled {
  readonly anchor: RegExp
  /** What to try where a beginning was met: itself first, then the shorter ones it begins with. */
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>
}

function compile(): Compiled {
  const all: Attempt[] = formats.flatMap(({ kind, starts, body, mustLookRandom = false }) => {
    const compiled = new RegExp(body, 'y')
    return starts.map((start) => ({ kind, start, body: compiled, mustLookRandom }))
  })
  all.sort((a, b) => b.start.length - a.start.length)
  const attempts = new Map<string, readonly Attempt[]>()
  for (const { start } of all)
    attempts.set(
      start,
      all.filter((attempt) => start.startsWith(attempt.start)),
    )
  return { anchor: new RegExp(anchorSource(formats), 'g'), attempts }
}

/** A span, or where a body ended that turned out to be none. */
interface Verdict {
  readonly span?: Span
  readonly end: number
}

function tryAt(text: string, index: number, attempts: readonly Attempt[]): Verdict {
  let farthest = index
  for (const { kind, start, body, mustLookRandom } of attempts) {
    body.lastIndex = index + start.length
    if (!body.test(text)) continue
    const end = body.lastIndex
    const secret = text.slice(index + start.length, end)
    if (!isFiller(secret) && (!mustLookRandom || looksRandom(secret))) return { span: { start: index, end, kind }, end }
    farthest = Math.max(farthest, end)
  }
  return { end: farthest }
}

/** Finds credentials by their vendor's form. Compiles on first use, not on load. */
export function createFormatFinder(): (text: string) => Span[] {
  let compiled: Compiled | undefined

  return (text) => {
    compiled ??= compile()
    const { anchor, attempts } = compiled
    const spans: Span[] = []
    anchor.lastIndex = 0
    for (let found = anchor.exec(text); found !== null; found = anchor.exec(text)) {
      const { span, end } = tryAt(text, found.index, attempts.get(found[0]) ?? [])
      if (span) spans.push(span)
      // Also past a body that was judged harmless: trying again inside it would read `sk-sk-sk-…` once per beginning.
      anchor.lastIndex = Math.max(anchor.lastIndex, end)
    }
    return spans
  }
}
