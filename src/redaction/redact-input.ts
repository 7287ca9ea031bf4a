import type { Redactor } from '../kernel/ports/ports.ts'
import { redactDeep } from './redact-deep.ts'
import { redactKeysAcross } from './redact-keys-across.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()

/**
 * What a caller sends, before anything takes it apart: without the secrets that only show as long as its lines and list
 * items are together. A text of one line stays as it is: it is redacted where it is kept, with the values of the
 * project's env files known, and an id or a path is not mistaken for anything on the way there. `except` names the
 * members that their use case itself redacts or refuses as a whole.
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

/** Finds nothing but keys that lie in more than one of the texts. */
const acrossOnly: Redactor = {
  redact: (text) => text,
  redactAll: (texts) => redactKeysAcross(texts, { isOneList: true }),
  findings: () => [],
  isPiece: () => false,
}

/**
 * Many values that their use case redacts one by one: without a key that was split over several of them. Costs nothing
 * where no text speaks of a key.
 */
export function redactAcross<Value>(values: Value): Value {
  return redactDeep(values, acrossOnly, { areNamesOurs: true })
}

/** What is said back or written to a log, whoever sent it. */
export function redactOutput<Value>(value: Value): Value {
  return redactDeep(value, redactor, { areNamesOurs: true })
}

/** A payload in somebody else's words, read from text that may hold a key over several of its fields. */
export function redactForeign<Value>(value: Value, text: string): Value {
  return text.includes('PRIVATE KEY') || text.includes('Private-Lines') ? redactDeep(value, redactor) : value
}
