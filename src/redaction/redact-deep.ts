import type { Redactor } from '../kernel/ports/ports.ts'
import { pattern } from './text/patterns.ts'
import { type CleanField, redactFields } from './redact-fields.ts'
import { classifyField } from './rules/secret-keywords.ts'
import { markFor } from './text/span.ts'

/** Real data is not nested deeper, and a recursive serializer may overflow the stack. */
const MAX_DEPTH = 64
const TOO_DEEP = '[nested too deeply]'
const LONGEST_NAME = 64

/** `{"name": "DB_PASSWORD", "value": "…"}`: the value's name is in another field. */
function nameBeside(value: object): string | undefined {
  for (const [field, name] of Object.entries(value))
    if (pattern.pairNameField.test(field) && typeof name === 'string') return name
  return undefined
}

interface FieldPosition {
  /** The name of the field; elements of an array have the array's name. */
  readonly name: string
  /** The path of names without array indexes: the same field of all elements is one column. */
  readonly column: string
  readonly depth: number
}

/** Replaces every string by the result of `visit`, in order; returns the same value when nothing changed. */
function mapStrings(
  value: unknown,
  position: FieldPosition,
  visit: (text: string, position: FieldPosition) => string,
): unknown {
  if (typeof value === 'string') return visit(value, position)
  if (typeof value !== 'object' || value === null) return value
  if (position.depth >= MAX_DEPTH) return TOO_DEEP
  const depth = position.depth + 1
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item: unknown) => mapStrings(item, { ...position, depth }, visit))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  let isChanged = false
  const entries = Object.entries(value).map(([field, inner]: [string, unknown]) => {
    const isPair = typeof inner === 'string' && pattern.pairValueField.test(field)
    const name = (isPair ? nameBeside(value) : undefined) ?? field
    const clean = mapStrings(inner, { name, column: `${position.column}.${field}`, depth }, visit)
    // A name is a word; a longer or multi-line key is text and is redacted too.
    const named =
      field.length > LONGEST_NAME ? visit(field, { ...position, name: '', column: `${position.column}{}` }) : field
    if (clean !== inner || named !== field) isChanged = true
    return [named, clean] as const
  })
  // `fromEntries` defines properties rather than assigning them, so a field named `__proto__` stays a field.
  return isChanged ? Object.fromEntries(entries) : value
}

const ROOT: FieldPosition = { name: '', column: '', depth: 0 }

export interface DeepOptions {
  /** Field names come from our own schemas and say nothing about secrets. */
  readonly areNamesOurs?: boolean
  /**
   * One-line texts outside lists stay as they are, unless they are part of a private key: the caller redacts
   * them.
   */
  readonly isForLinesOnly?: boolean
}

/** Also where newlines are written as escapes. */
function hasNewlines(text: string): boolean {
  return text.includes('\n') || text.includes('\r') || text.includes('\\n')
}

/**
 * Redacts every string of a JSON value, by the field's name where that names a secret. Strings that belong together are
 * read together: the items of a list, the same field of its elements, and a private key across any of them. Keys (except
 * those that hold text), order and non-strings stay; returns the same value when nothing was found.
 */
export function redactDeep<Value>(value: Value, redactor: Redactor, options?: DeepOptions): Value
export function redactDeep(value: unknown, redactor: Redactor, options: DeepOptions = {}): unknown {
  const { areNamesOurs = false, isForLinesOnly = false } = options
  // Whether a text is lone is known only after all were seen.
  const sizes = new Map<string, number>()
  if (isForLinesOnly)
    mapStrings(value, ROOT, (text, { column }) => {
      sizes.set(column, (sizes.get(column) ?? 0) + 1)
      return text
    })
  const visitAll = (clean: CleanField) =>
    mapStrings(value, ROOT, (text, { name, column }) => {
      if (isForLinesOnly && sizes.get(column) === 1 && !hasNewlines(text)) return clean(text, column, true)
      const kind = areNamesOurs || name === '' ? undefined : classifyField(name, text)
      return kind === undefined ? clean(text, column) : markFor(kind)
    })
  return redactFields(redactor, visitAll, { isAnyOrder: isForLinesOnly })
}
