import type { Redactor } from '../kernel/ports/ports.ts'
import { isArmour, isBodyLine, listKeyLines } from './scan/key-lines.ts'
import { findPrivateKeys } from './find/find-private-keys.ts'
import { replaceInItems } from './redact-items.ts'
import { markFor } from './text/span.ts'

function containsArmour(text: string): boolean {
  return text.includes('PRIVATE KEY') || text.includes('Private-Lines')
}

/** Removes a private key that was split over several fields, or over several items of one list. */
export function redactKeysAcross(
  texts: readonly string[],
  { isOneList = false }: { readonly isOneList?: boolean } = {},
): readonly string[] {
  if (texts.length < 2 || !texts.some(containsArmour)) return texts
  const spans = findPrivateKeys(texts.join('\n'))
  return replaceInItems(texts, spans, { isAcrossOnly: true, isStrict: !isOneList }) ?? texts
}

/** Whether a one-line text can only be part of a key. */
function isKeyPart(text: string): boolean {
  return isArmour(text, 0, text.length) || isBodyLine(text, { isBehindBody: false })
}

export interface RequestText {
  readonly text: string
  readonly column?: string | undefined
  /** One line, and not in a list: an id, a path, a cursor. */
  readonly isLone: boolean
}

/**
 * Removes the lines of a key's body anywhere in a request that contains its armour: the order of a request's fields is not
 * guaranteed. A text outside a list is removed only where both armour lines are fields of their own.
 */
function redactBodyLines(fields: readonly RequestText[], clean: readonly string[]): readonly string[] {
  if (!fields.some(({ text }) => containsArmour(text))) return clean
  const armour = fields.filter(({ text }) => isArmour(text, 0, text.length))
  const isSplit = ['BEGIN', 'END'].every((word) => armour.some(({ text }) => text.includes(word)))
  const wasBody = new Map<string | undefined, boolean>()
  return fields.map(({ text, column, isLone }, index) => {
    const isBehindBody = !isLone && wasBody.get(column) === true
    const isBody = (!isLone || isSplit) && isBodyLine(text, { isBehindBody })
    wasBody.set(column, isBody)
    return isBody ? markFor('private-key') : (clean[index] ?? text)
  })
}

/** Removes lines of keys that were found in other texts: a shell repeats each line it could not run. */
function redactKeyRepeats(before: readonly string[], after: readonly string[]): readonly string[] {
  const words = before.flatMap((text, index) => {
    const clean = after[index] ?? ''
    if (text === clean || !containsArmour(text)) return []
    return listKeyLines(text).filter((word) => !clean.includes(word))
  })
  if (words.length === 0) return after
  return after.map((text) => words.reduce((rest, word) => rest.replaceAll(word, markFor('private-key')), text))
}

/**
 * Returns the text without its secrets. Texts of one column are the items of one list. A lone text stays as it
 * is, unless it is part of a key that was split over several texts.
 */
export type CleanField = (text: string, column?: string, isLone?: boolean) => string

type Field = RequestText

export interface FieldsOptions {
  /** Look for the lines of a key in any order of the fields, as in a request. */
  readonly isAnyOrder?: boolean
}

function groupByColumn(fields: readonly Field[]): readonly (readonly number[])[] {
  const columns = new Map<string, number[]>()
  const alone: number[][] = []
  for (const [index, { column, isLone }] of fields.entries()) {
    if (isLone) continue
    const known = column === undefined ? undefined : columns.get(column)
    if (known !== undefined) known.push(index)
    else if (column === undefined) alone.push([index])
    else columns.set(column, [index])
  }
  return [...alone, ...columns.values()]
}

/** Removes a key that was split over several fields. A lone text that is not part of one counts as an empty line. */
function withoutSplitKeys(fields: readonly Field[], { isAnyOrder }: FieldsOptions): readonly string[] {
  const texts = fields.map(({ text }) => text)
  if (!texts.some(containsArmour)) return texts
  const seen = fields.map(({ text, isLone }) => (isLone && !isKeyPart(text) ? '' : text))
  const clean = redactKeysAcross(seen).map((text, index) => (seen[index] === '' ? (texts[index] ?? '') : text))
  return isAnyOrder === true ? redactBodyLines(fields, clean) : clean
}

function cleanFields(fields: readonly Field[], redactor: Redactor, options: FieldsOptions): readonly string[] {
  const texts = fields.map(({ text }) => text)
  const clean = [...withoutSplitKeys(fields, options)]
  for (const column of groupByColumn(fields)) {
    const found = redactor.redactAll(column.map((index) => clean[index] ?? ''))
    for (const [at, index] of column.entries()) clean[index] = found[at] ?? ''
  }
  return redactKeyRepeats(texts, clean)
}

/**
 * Redacts the texts of a value together: the items of a list as the lines of one text, and a private
 * key across fields in their order. `map` builds the value and is called twice, first to collect all texts; it must ask for
 * the same ones in the same order each time.
 */
export function redactFields<Value>(
  redactor: Redactor,
  map: (clean: CleanField) => Value,
  options: FieldsOptions = {},
): Value {
  const fields: Field[] = []
  const same = map((text, column, isLone = false) => {
    fields.push({ text, column, isLone })
    return text
  })
  if (fields.length === 0) return same
  const clean = cleanFields(fields, redactor, options)
  if (clean.every((text, index) => text === fields[index]?.text)) return same
  let next = 0
  return map((text) => clean[next++] ?? text)
}
