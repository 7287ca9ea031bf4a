import type { ContainsWord } from '../scan/trigram-filter.ts'
import { pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import { isPlaceholder } from '../rules/secret-value.ts'

/** A line of YAML; diff markers, line numbers and list dashes count as indentation. */
interface ManifestLine {
  /** The less indented line that it belongs to. */
  readonly parent: number
  /** Parent and indentation as one number. */
  readonly place: number
  readonly key: string
  readonly valueStart: number
  readonly end: number
}

const PLACES_PER_PARENT = 64

function parseLines(text: string): ManifestLine[] {
  const { manifestLine } = pattern
  const lines: ManifestLine[] = []
  /** The lines that the next one may belong to, with their indentation. */
  const open: { readonly index: number; readonly indent: number }[] = []
  manifestLine.lastIndex = 0
  for (let found = manifestLine.exec(text); found !== null; found = manifestLine.exec(text)) {
    const [, margin = '', key = '', value = ''] = found
    // A document separator starts over.
    const indent = key === '' ? -1 : margin.length
    let last = open.at(-1)
    for (; last !== undefined && last.indent >= indent; last = open.at(-1)) open.pop()
    const parent = last?.index ?? -1
    const end = manifestLine.lastIndex
    open.push({ index: lines.length, indent })
    lines.push({ parent, place: parent * PLACES_PER_PARENT + indent, key, valueStart: end - value.length, end })
  }
  return lines
}

/** Removes quotes, which are escaped where the manifest is inside JSON. */
function unquoted(value: string): string {
  const sign = pattern.yamlQuote.exec(value)?.[0] ?? ''
  return sign !== '' && value.length > sign.length && value.endsWith(sign)
    ? value.slice(sign.length, -sign.length)
    : value
}

const SHORTEST_VALUE = 4

function valueSpan(text: string, { valueStart, end }: ManifestLine): Span | undefined {
  if (end - valueStart < SHORTEST_VALUE) return undefined
  const value = text.slice(valueStart, end)
  const bare = unquoted(value.trim())
  if (bare.length < SHORTEST_VALUE || isPlaceholder(bare) || pattern.blockSign.test(bare)) return undefined
  const start = valueStart + value.indexOf(bare)
  return { start, end: start + bare.length, kind: 'secret' }
}

function yamlSpans(text: string): Span[] {
  const lines = parseLines(text)
  const secretPlaces = new Set<number>()
  for (const { key, place, valueStart, end } of lines)
    if (key === 'kind' && pattern.secretKind.test(text.slice(valueStart, end))) secretPlaces.add(place)
  if (secretPlaces.size === 0) return []
  /** Whether each line is a section of a Secret or nested in one. */
  const isWithin = new Uint8Array(lines.length)
  const spans: Span[] = []
  let index = 0
  for (const line of lines) {
    const isSection = (line.key === 'data' || line.key === 'stringData') && secretPlaces.has(line.place)
    const isInside = line.parent >= 0 && isWithin[line.parent] === 1
    if (isSection || isInside) isWithin[index] = 1
    const span = isInside ? valueSpan(text, line) : undefined
    if (span) spans.push(span)
    index += 1
  }
  return spans
}

/** The values of a Secret are not objects, so a section ends at the first bracket. */
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

/** The values of a Kubernetes Secret manifest in YAML or JSON: base64 is not encryption. */
export function findManifestSecrets(text: string, contains: ContainsWord): Span[] {
  if (!contains('Secret') || !contains('kind')) return []
  return [...(pattern.yamlSecretKind.test(text) ? yamlSpans(text) : []), ...jsonSpans(text)]
}
