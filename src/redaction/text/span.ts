/** The range of a secret in a text, end exclusive, and its kind. */
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

/** Whether a value contains a redaction mark, whole or truncated: redacting twice must change nothing. */
export function holdsMark(value: string): boolean {
  return value.includes(MARK_OPENING)
}

export function isMarkAt(text: string, index: number): boolean {
  return text.startsWith(MARK_OPENING, index)
}

/** Whether an index is inside a mark: `user:[REDACTED:login]@` looks like a login again. */
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

/** In order, without overlap: overlapping spans are merged and keep the kind of the first. */
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

/** Replaces every span by a mark; returns the same string when there are none. */
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
