import { pattern } from './patterns.ts'
import type { Span } from './span.ts'
import { isPlaceholder } from './value.ts'

/** A line of YAML as far as it matters here; signs of a diff, numbers of lines and dashes of a list count as indentation. */
interface ManifestLine {
  readonly indent: number
  /** The line with less indentation that it belongs to. */
  readonly parent: number
  readonly key: string
  readonly value: string
  readonly valueStart: number
}

function linesOf(text: string): ManifestLine[] {
  const lines: ManifestLine[] = []
  const open: number[] = []
  for (const found of text.matchAll(pattern.manifestLine)) {
    const [whole, margin = '', key = '', value = ''] = found
    // What stands between two documents has both of them to itself.
    const indent = key === '' ? -1 : margin.length
    while (open.length > 0 && (lines[open.at(-1) ?? 0]?.indent ?? 0) >= indent) open.pop()
    const valueStart = found.index + whole.length - value.length
    open.push(lines.length)
    lines.push({ indent, parent: open.at(-2) ?? -1, key, value, valueStart })
  }
  return lines
}

function isSecretKind({ key, value }: ManifestLine): boolean {
  return key === 'kind' && pattern.secretKind.test(value)
}

/** Without its quotes, which are escaped where the manifest was written into JSON. */
function unquoted(value: string): string {
  const sign = pattern.yamlQuote.exec(value)?.[0] ?? ''
  return sign !== '' && value.length > sign.length && value.endsWith(sign)
    ? value.slice(sign.length, -sign.length)
    : value
}

function valueSpan({ value, valueStart }: ManifestLine): Span | undefined {
  const bare = unquoted(value.trim())
  if (bare.length < 4 || isPlaceholder(bare) || pattern.blockSign.test(bare)) return undefined
  const start = valueStart + value.indexOf(bare)
  return { start, end: start + bare.length, kind: 'secret' }
}

function yamlSpans(text: string): Span[] {
  const lines = linesOf(text)
  const secretPlaces = new Set(lines.filter(isSecretKind).map(({ parent, indent }) => `${parent}:${indent}`))
  if (secretPlaces.size === 0) return []
  /** Sections of secrets, and what is nested in them. */
  const inside = new Set<number>()
  const spans: Span[] = []
  for (const [index, line] of lines.entries()) {
    const isSection =
      (line.key === 'data' || line.key === 'stringData') && secretPlaces.has(`${line.parent}:${line.indent}`)
    if (isSection || inside.has(line.parent)) inside.add(index)
    const span = inside.has(line.parent) ? valueSpan(line) : undefined
    if (span) spans.push(span)
  }
  return spans
}

/** No value of a Secret is an object itself, so that a section ends with the first bracket. */
const SECTION_CHARS = 65_536

function jsonSpans(text: string): Span[] {
  if (!pattern.jsonSecretKind.test(text)) return []
  const spans: Span[] = []
  let next = 0
  for (const found of text.matchAll(pattern.jsonSection)) {
    const start = found.index + found[0].length
    if (start < next) continue
    const close = text.slice(start, start + SECTION_CHARS).indexOf('}')
    next = close < 0 ? Math.min(text.length, start + SECTION_CHARS) : start + close
    const fields = found[1] === undefined ? pattern.base64Field : pattern.textField
    for (const field of text.slice(start, next).matchAll(fields)) {
      const value = field[1] ?? ''
      const end = start + field.index + field[0].length
      if (!isPlaceholder(value)) spans.push({ start: end - value.length, end, kind: 'secret' })
    }
  }
  return spans
}

/** The values of a Kubernetes manifest of kind Secret, in YAML or JSON: base64 hides nothing. */
export function findManifestSecrets(text: string): Span[] {
  if (!text.includes('Secret') || !text.includes('kind')) return []
  return [...(pattern.yamlSecretKind.test(text) ? yamlSpans(text) : []), ...jsonSpans(text)]
}
