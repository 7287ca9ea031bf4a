import type { Redactor } from '../../../kernel/ports/ports.ts'

export type JsonLineResult =
  | { readonly ok: true; readonly line: string }
  | { readonly ok: false; readonly reason: string }

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // JSON.parse has no other way to say that a text is none; the caller names the line.
    return undefined
  }
}

/** One line of `{id, text}` as one line of `{id, redacted}`; the id is handed back as it came. */
export function redactJsonLine(line: string, redactor: Redactor): JsonLineResult {
  const value = parsed(line)
  if (typeof value !== 'object' || value === null) return { ok: false, reason: 'not a JSON object.' }
  if (!('id' in value) || (typeof value.id !== 'string' && typeof value.id !== 'number'))
    return { ok: false, reason: '"id" must be a text or a number.' }
  if (!('text' in value) || typeof value.text !== 'string') return { ok: false, reason: '"text" must be a text.' }
  return { ok: true, line: JSON.stringify({ id: value.id, redacted: redactor.redact(value.text) }) }
}
