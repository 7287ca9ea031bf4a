import type { Redactor } from '../kernel/ports/ports.ts'
import { redactDeep } from './redact-deep.ts'
import { redactKeysAcross } from './redact-fields.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()

/**
 * Redacts a request before it is split: removes the secrets that are recognizable only while its lines and list
 * items are together. A one-line text stays: it is redacted where it is stored, with the values of the
 * project's env files known, and an id or a path is not mistaken for a secret before that. `except` names the
 * members that the use case itself redacts or refuses.
 */
export function redactInput<Value>(value: Value, except?: readonly string[]): Value
export function redactInput(value: unknown, except: readonly string[] = []): unknown {
  const options = { areNamesOurs: true, isForLinesOnly: true }
  if (except.length === 0 || typeof value !== 'object' || value === null) return redactDeep(value, redactor, options)
  const isExcepted = ([name]: readonly [string, unknown]) => except.includes(name)
  const entries = Object.entries(value)
  const rest = Object.fromEntries(entries.filter((entry) => !isExcepted(entry)))
  return { ...redactDeep(rest, redactor, options), ...Object.fromEntries(entries.filter(isExcepted)) }
}

/** Finds only keys that span more than one text. */
const acrossOnly: Redactor = {
  redact: (text) => text,
  redactAll: (texts) => redactKeysAcross(texts, { isOneList: true }),
  findings: () => [],
  isPiece: () => false,
}

/**
 * Removes a key that was split over several values, which the use case then redacts one by one. Costs nothing
 * where no text mentions a key.
 */
export function redactAcross<Value>(values: Value): Value {
  return redactDeep(values, acrossOnly, { areNamesOurs: true })
}

/** Redacts a response or a log entry. */
export function redactOutput<Value>(value: Value): Value {
  return redactDeep(value, redactor, { areNamesOurs: true })
}

/** Redacts a payload of another program, parsed from text that may hold a key across several of its fields. */
export function redactForeign<Value>(value: Value, text: string): Value {
  return text.includes('PRIVATE KEY') || text.includes('Private-Lines') ? redactDeep(value, redactor) : value
}
