import { HoldfastError, messageOf } from '../../kernel/errors.ts'

/** JSON.parse takes a million levels, and JSON.stringify then overflows the stack on the way out. */
const MAX_DEPTH = 64

/** Nearly always: then nothing has to be made anew. */
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

/** Foreign JSON made safe to keep: bounded depth, no lone surrogates, no `__proto__`. Throws `invalid-input`. */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // V8 quotes the text around the fault, which may be somebody's prompt.
    const where = /position \d+|end of JSON input/.exec(messageOf(error))?.[0] ?? 'an unknown place'
    throw new HoldfastError('invalid-input', `The body is not JSON: it breaks off at ${where}.`)
  }
  return isSafe(value, 0) ? value : repair(value, 0)
}
