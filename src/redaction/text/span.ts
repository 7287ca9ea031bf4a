/** A secret's place in a text, end exclusive, and what it is. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: string
}

const MARK_OPENING = '[REDACTED'
const KIND_OPENING = `${MARK_OPENING}:`

export function markFor(kind: string): string {
  return `${KIND_OPENING}${kind}]`
}

/** True for what we left behind earlier, whole or opened: cleaning twice must change nothing. */
export function holdsMark(value: string): boolean {
  return value.includes(MARK_OPENING)
}

export function isMarkAt(text: string, index: number): boolean {
  return text.startsWith(MARK_OPENING, index)
}

/** Whether a place is behind the opening of a mark: `user:[REDACTED:login]@` reads like a login once more. */
export function isInsideMark(text: string, index: number): boolean {
  return text.endsWith(KIND_OPENING, index)
}

function inOrder(a: Span, b: Span): number {
  return a.start - b.start || b.end - a.end
}

function isInOrder(spans: readonly Span[]): boolean {
  return spans.every((span, index) => {
    const before = spans[index - 1]
    return before === undefined || inOrder(before, span) <= 0
  })
}

/** In order, without overlap: where two meet they become one, named by the one that begins first. */
function settle(spans: readonly Span[]): Span[] {
  const ordered = isInOrder(spans) ? spans : [...spans].sort(inOrder)
  const settled: Span[] = []
  for (const span of ordered) {
    const last = settled.at(-1)
    if (last === undefined || span.start >= last.end) settled.push(span)
    else if (span.end > last.end) settled[settled.length - 1] = { ...last, end: span.end }
  }
  return settled
}

/** The text with a mark in place of every span; the very same string when there are none. */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text
  const parts: string[] = []
  let from = 0
  for (const span of settle(spans)) {
    parts.push(text.slice(from, span.start), markFor(span.kind))
    from = span.end
  }
  parts.push(text.slice(from))
  return parts.join('')
}
