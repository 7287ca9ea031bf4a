import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'

/** JSON.parse accepts a million levels, and JSON.stringify then overflows the stack. */
const MAX_DEPTH = 64

/** The usual case: nothing has to be copied. */
function isSafe(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (depth >= MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isSafe(item, depth + 1))
  return Object.entries(value).every(
    ([key, member]) => key !== '__proto__' && key.isWellFormed() && isSafe(member, depth + 1),
  )
}

function repair(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) {
    throw new HoldfastError('invalid-input', `The JSON is nested more than ${MAX_DEPTH} levels deep.`)
  }
  if (Array.isArray(value)) return value.map((item) => repair(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, member]) => [key.toWellFormed(), repair(member, depth + 1)]),
  )
}

/** Parses JSON from outside into a value that is safe to store: bounded depth, no lone surrogates, no `__proto__`. Throws `invalid-input`. */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // V8 quotes the text around the error, which may be a user's prompt.
    const where = /position \d+|end of JSON input/.exec(getErrorMessage(error))?.[0] ?? 'an unknown position'
    throw new HoldfastError('invalid-input', `The body is not JSON: parsing failed at ${where}.`)
  }
  return isSafe(value, 0) ? value : repair(value, 0)
}
