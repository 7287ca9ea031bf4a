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

function sentence(issue: z.core.$ZodIssue, value: unknown): string {
  const shown = show(valueAt(value, issue.path))
  const name = issue.path.length === 0 ? 'The input' : `"${issue.path.map(String).join('.')}"`
  return `${name} is ${shown}. ${issue.message}.`
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
