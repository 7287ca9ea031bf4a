import type { Redactor } from '../ports.ts'
import { redactKeyRepeats, redactKeysAcross } from './redact-keys-across.ts'

/** Takes a text in and gives it back without its secrets. Texts of one column are the items of one list. */
export type CleanField = (text: string, column?: string) => string

interface Field {
  readonly text: string
  readonly column: string | undefined
}

function columnsOf(fields: readonly Field[]): readonly (readonly number[])[] {
  const columns = new Map<string, number[]>()
  const alone: number[][] = []
  for (const [index, { column }] of fields.entries()) {
    const known = column === undefined ? undefined : columns.get(column)
    if (known !== undefined) known.push(index)
    else if (column === undefined) alone.push([index])
    else columns.set(column, [index])
  }
  return [...alone, ...columns.values()]
}

function cleanFields(fields: readonly Field[], redactor: Redactor): readonly string[] {
  const texts = fields.map(({ text }) => text)
  const clean = [...redactKeysAcross(texts)]
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
export function redactFields<Value>(redactor: Redactor, map: (clean: CleanField) => Value): Value {
  const fields: Field[] = []
  const same = map((text, column) => {
    fields.push({ text, column })
    return text
  })
  if (fields.length === 0) return same
  const clean = cleanFields(fields, redactor)
  if (clean.every((text, index) => text === fields[index]?.text)) return same
  let next = 0
  return map((text) => clean[next++] ?? text)
}
