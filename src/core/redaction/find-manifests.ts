import type { Holds } from './held-words.ts'
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

/** Each line with its number, in order; none is kept, since a text may have a hundred thousand. */
function eachLine(text: string, visit: (line: ManifestLine, index: number) => void): void {
  const { manifestLine } = pattern
  const open: { readonly index: number; readonly indent: number }[] = []
  let index = 0
  manifestLine.lastIndex = 0
  for (let found = manifestLine.exec(text); found !== null; found = manifestLine.exec(text)) {
    const [, margin = '', key = '', value = ''] = found
    // What stands between two documents has both of them to itself.
    const indent = key === '' ? -1 : margin.length
    while ((open.at(-1)?.indent ?? -2) >= indent) open.pop()
    visit(
      { indent, parent: open.at(-1)?.index ?? -1, key, value, valueStart: manifestLine.lastIndex - value.length },
      index,
    )
    open.push({ index, indent })
    index += 1
  }
}

/** One number for a place among the documents: whose child a line is, and how far it is indented. */
function placeOf({ parent, indent }: ManifestLine): number {
  return parent * 64 + indent
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
  const secretPlaces = new Set<number>()
  eachLine(text, (line) => {
    if (isSecretKind(line)) secretPlaces.add(placeOf(line))
  })
  if (secretPlaces.size === 0) return []
  /** Sections of secrets, and what is nested in them. */
  const inside = new Set<number>()
  const spans: Span[] = []
  eachLine(text, (line, index) => {
    const isSection = (line.key === 'data' || line.key === 'stringData') && secretPlaces.has(placeOf(line))
    const isInside = inside.has(line.parent)
    if (isSection || isInside) inside.add(index)
    const span = isInside ? valueSpan(line) : undefined
    if (span) spans.push(span)
  })
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
export function findManifestSecrets(text: string, holds: Holds): Span[] {
  if (!holds('Secret') || !holds('kind')) return []
  return [...(pattern.yamlSecretKind.test(text) ? yamlSpans(text) : []), ...jsonSpans(text)]
}
