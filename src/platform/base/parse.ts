import type * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { redactOutput } from '../../redaction/redact-input.ts'

const SHOWN_CHARS = 60

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )
}

function show(value: unknown): string {
  if (value === undefined) return 'missing'
  // Before it is cut: half a key is not recognized.
  const text = JSON.stringify(redactOutput(value)) ?? typeof value
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries', set: ' entries' }

/** What the value must be; the words of the schema library for people who do not know it. */
function requirement(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `It must be ${TYPES[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value')
    return `It must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return issue.message
  const unit = UNITS[issue.origin]
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum
  if (unit !== undefined && issue.code === 'too_small' && limit === 1) return 'It must not be empty'
  const [bound, strict] = issue.code === 'too_small' ? ['at least', 'more than'] : ['at most', 'less than']
  return `It must ${unit === undefined ? 'be' : 'have'} ${issue.inclusive === false ? strict : bound} ${limit}${unit ?? ''}`
}

/** Messages that the schema library generates; a schema's own one says more. */
const GENERATED = /^(?:Invalid (?:input|option)|Too (?:small|big)):?/

function sentence(issue: z.core.$ZodIssue, value: unknown): string {
  const shown = show(valueAt(value, issue.path))
  const name = issue.path.length === 0 ? 'The input' : `"${issue.path.map(String).join('.')}"`
  return `${name} is ${shown}. ${GENERATED.test(issue.message) ? requirement(issue) : issue.message}.`
}

/** The value in the schema's shape, without unknown fields; throws `invalid-input` with each invalid path and value. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { issues } = result.error
  const shown = issues.slice(0, 3).map((issue) => sentence(issue, value))
  const rest = issues.length - shown.length
  throw new HoldfastError('invalid-input', rest > 0 ? `${shown.join(' ')} And ${rest} more.` : shown.join(' '))
}
