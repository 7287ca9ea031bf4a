import { redactOutput } from '../../redaction/redact-input.ts'

/** JSON redacted on its way out, what belongs together as a whole. Names of members are our own schemas' and say nothing about secrets. */
export function toJson(value: unknown): string {
  return JSON.stringify(redactOutput(value))
}
