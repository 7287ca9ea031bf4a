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
const WORD_START = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbf]|%[0-9A-Fa-f]{2}|\\[[0-9;]{1,8}m))'

export function anchorSource(list: readonly Format[]): string {
  const starts = [...new Set(list.flatMap((format) => format.starts))].sort((a, b) => b.length - a.length)
  return `${WORD_START}(?:${starts.map((start) => start.replace(pattern.special, '\\$&')).join('|')})`
}

/** One beginning of one format. */
interface Attempt {
  readonly start: string
  readonly format: Format
  readonly body: RegExp
}

/** Made on first use: a beginning that is never met is never compiled. */
interface Compiled {
  readonly anchor: RegExp
  readonly attempts: Map<string, readonly Attempt[]>
}

/** What to try where a beginning was met: itself first, then the shorter ones it begins with. */
function attemptsFor(found: string): readonly Attempt[] {
  return formats
    .flatMap((format) => format.starts.map((start) => ({ start, format })))
    .filter(({ start }) => found.startsWith(start))
    .sort((a, b) => b.start.length - a.start.length)
    .map(({ start, format }) => ({ start, format, body: new RegExp(format.body, 'y') }))
}

function knownAttempts({ attempts }: Compiled, found: string): readonly Attempt[] {
  const known = attempts.get(found)
  if (known) return known
  const made = attemptsFor(found)
  attempts.set(found, made)
  return made
}

/** A span, or where a body ended that turned out to be none. */
interface Verdict {
  readonly span?: Span
  readonly end: number
}

function tryAt(text: string, index: number, attempts: readonly Attempt[]): Verdict {
  let farthest = index
  for (const { start, format, body } of attempts) {
    body.lastIndex = index + start.length
    if (!body.test(text)) continue
    const end = body.lastIndex
    const secret = text.slice(index + start.length, end)
    if (!isFiller(secret) && (!format.mustLookRandom || looksRandom(secret)))
      return { span: { start: index, end, kind: format.kind }, end }
    farthest = Math.max(farthest, end)
  }
  return { end: farthest }
}

/** Finds credentials by their vendor's form. Compiles on first use, not on load. */
export function createFormatFinder(): (text: string) => Span[] {
  let compiled: Compiled | undefined

  return (text) => {
    compiled ??= { anchor: new RegExp(anchorSource(formats), 'g'), attempts: new Map() }
    const { anchor } = compiled
    const spans: Span[] = []
    anchor.lastIndex = 0
    for (let found = anchor.exec(text); found !== null; found = anchor.exec(text)) {
      const { span, end } = tryAt(text, found.index, knownAttempts(compiled, found[0]))
      if (span) spans.push(span)
      // Also past a body that was judged harmless: trying again inside it would read `sk-sk-sk-…` once per beginning.
      anchor.lastIndex = Math.max(anchor.lastIndex, end)
    }
    return spans
  }
}
