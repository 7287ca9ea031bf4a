import type { Redactor } from '../kernel/ports/ports.ts'
import type { RequestText } from './redact-keys-across.ts'
import { holdsArmour, isKeyPart, redactBodyLines, redactKeyRepeats, redactKeysAcross } from './redact-keys-across.ts'

/**
 * Takes a text in and gives it back without its secrets. Texts of one column are the items of one list. A lone text stays as it
 * is, unless it is a part of a key that was split over several.
 */
export type CleanField = (text: string, column?: string, isLone?: boolean) => string

type Field = RequestText

export interface FieldsOptions {
  /** The lines of a key are looked for in any order of the fields, as in what a caller sends. */
  readonly isAnyOrder?: boolean
}

function columnsOf(fields: readonly Field[]): readonly (readonly number[])[] {
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

/** Without a key that was split over several fields. A lone text that is no part of one stands there as an empty line. */
function withoutSplitKeys(fields: readonly Field[], { isAnyOrder }: FieldsOptions): readonly string[] {
  const texts = fields.map(({ text }) => text)
  if (!texts.some(holdsArmour)) return texts
  const seen = fields.map(({ text, isLone }) => (isLone && !isKeyPart(text) ? '' : text))
  const clean = redactKeysAcross(seen).map((text, index) => (seen[index] === '' ? (texts[index] ?? '') : text))
  return isAnyOrder === true ? redactBodyLines(fields, clean) : clean
}

function cleanFields(fields: readonly Field[], redactor: Redactor, options: FieldsOptions): readonly string[] {
  const texts = fields.map(({ text }) => text)
  const clean = [...withoutSplitKeys(fields, options)]
  for (const column of columnsOf(fields)) {
    const found = redactor.redactAll(column.map((index) => clean[index] ?? ''))
    for (const [at, index] of column.entries()) clean[index] = found[at] ?? ''
  }
  return redactKeyRepeats(texts, clean)
}

/**
 * A value with its texts redacted as they stand together: the items of a list as the lines of one text, and a private
 * key over any fields in their order. `map` builds the value and is called twice, first to see all texts; it asks for
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
