import { createRedactor } from '../core/redaction/redactor.ts'
import { redactDeep } from '../core/redaction/redact-deep.ts'

/** A payload as it may touch a disk: JSON with its secrets removed. `undefined` when the text is not JSON. */
export function redactPayload(text: string): { readonly payload: unknown } | undefined {
  let payload: unknown
  try {
    payload = JSON.parse(text)
  } catch {
    return undefined
  }
  return { payload: redactDeep(payload, createRedactor()) }
}

export function redactText(text: string): string {
  return createRedactor().redact(text)
}
