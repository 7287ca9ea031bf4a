import type { IncomingMessage } from 'node:http'
import { readBodyBytes } from '../../platform/request-body.ts'
import { redactOutput } from '../../redaction/redact-input.ts'

/** JSON, redacted. Member names come from our own schemas and are not secret keywords. */
export function toJson(value: unknown): string {
  return JSON.stringify(redactOutput(value))
}

const MAX_BODY_BYTES = 1_048_576
const UTF_8 = new TextDecoder()

/** The whole body as text, invalid UTF-8 repaired. Throws `too-large` as soon as that is known. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<string> {
  return UTF_8.decode(await readBodyBytes(request, maxBytes))
}
