import type { Redactor } from '../kernel/ports/ports.ts'
import { pattern } from './text/patterns.ts'
import { type CleanField, redactFields } from './redact-fields.ts'
import { secretKindOfField } from './rules/secret-field.ts'
import { markFor } from './text/span.ts'

/** Deeper than this nothing real is nested, and a serializer that recurses may not come back. */
const MAX_DEPTH = 64
const TOO_DEEP = '[nested too deeply]'
const LONGEST_NAME = 64

/** `{"name": "DB_PASSWORD", "value": "…"}`: the value's name is in the field beside it. */
function nameBeside(value: object): string | undefined {
  for (const [field, name] of Object.entries(value))
    if (pattern.pairNameField.test(field) && typeof name === 'string') return name
  return undefined
}

interface Place {
  /** The field the value belongs to; an array's elements belong to the array's. */
  readonly name: string
  /** The names on the way there, without the places in arrays: the same field of all elements is one column. */
  readonly column: string
  readonly depth: number
}

/** The value with every string replaced by what `visit` makes of it, in order; the very same value when that changes none. */
function mapStrings(value: unknown, place: Place, visit: (text: string, place: Place) => string): unknown {
  if (typeof value === 'string') return visit(value, place)
  if (typeof value !== 'object' || value === null) return value
  if (place.depth >= MAX_DEPTH) return TOO_DEEP
  const depth = place.depth + 1
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item: unknown) => mapStrings(item, { ...place, depth }, visit))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  let isChanged = false
  const entries = Object.entries(value).map(([field, inner]: [string, unknown]) => {
    const isPair = typeof inner === 'string' && pattern.pairValueField.test(field)
    const name = (isPair ? nameBeside(value) : undefined) ?? field
    const clean = mapStrings(inner, { name, column: `${place.column}.${field}`, depth }, visit)
    // A name is a word; what is longer, or has lines, is somebody's text in the place of one.
    const named =
      field.length > LONGEST_NAME ? visit(field, { ...place, name: '', column: `${place.column}{}` }) : field
    if (clean !== inner || named !== field) isChanged = true
    return [named, clean] as const
  })
  // `fromEntries` defines properties rather than assigning them, so a field named `__proto__` stays a field.
  return isChanged ? Object.fromEntries(entries) : value
}

const ROOT: Place = { name: '', column: '', depth: 0 }

export interface DeepOptions {
  /** The names of the fields are those of our own schemas and say nothing about secrets. */
  readonly areNamesOurs?: boolean
  /**
   * Texts of one line that belong to no list stay as they are, unless they are parts of a private key: whoever uses them redacts
   * them with what else is known.
   */
  readonly isForLinesOnly?: boolean
}

/** Also where the line ends are written as escapes. */
function isOfLines(text: string): boolean {
  return text.includes('\n') || text.includes('\r') || text.includes('\\n')
}

/**
 * A JSON value with every string redacted, fields named like a secret by their name. Strings that belong together are
 * read together: the items of a list, the same field of its elements, and a private key over any of them. Keys (but for
 * such as hold a text), order and everything that is no string stay; the very same value when nothing was found.
 */
export function redactDeep<Value>(value: Value, redactor: Redactor, options?: DeepOptions): Value
export function redactDeep(value: unknown, redactor: Redactor, options: DeepOptions = {}): unknown {
  const { areNamesOurs = false, isForLinesOnly = false } = options
  // Whether a text stands alone is known once all were seen.
  const sizes = new Map<string, number>()
  if (isForLinesOnly)
    mapStrings(value, ROOT, (text, { column }) => {
      sizes.set(column, (sizes.get(column) ?? 0) + 1)
      return text
    })
  const visitAll = (clean: CleanField) =>
    mapStrings(value, ROOT, (text, { name, column }) => {
      if (isForLinesOnly && sizes.get(column) === 1 && !isOfLines(text)) return clean(text, column, true)
      const kind = areNamesOurs || name === '' ? undefined : secretKindOfField(name, text)
      return kind === undefined ? clean(text, column) : markFor(kind)
    })
  return redactFields(redactor, visitAll, { isAnyOrder: isForLinesOnly })
}
