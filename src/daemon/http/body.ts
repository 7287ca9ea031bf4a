import type { IncomingMessage } from 'node:http'
import { HoldfastError } from '../../kernel/errors.ts'
import { redactOutput } from '../../redaction/redact-input.ts'

/** JSON, redacted. Member names come from our own schemas and are not secret keywords. */
export function toJson(value: unknown): string {
  return JSON.stringify(redactOutput(value))
}

const MAX_BODY_BYTES = 1_048_576
const UTF_8 = new TextDecoder()

function tooLarge(maxBytes: number): HoldfastError {
  return new HoldfastError('too-large', `The body is larger than ${maxBytes} bytes.`)
}

/** The whole body as text, invalid UTF-8 repaired. Throws `too-large` as soon as that is known; no byte above the limit is buffered. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else {
        request.off('data', onData).pause()
        reject(tooLarge(maxBytes))
      }
    }
    const onEnd = () => resolve(UTF_8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    const onClose = () => {
      if (!request.readableEnded)
        reject(new HoldfastError('invalid-input', 'The request ended before its body was complete.'))
    }
    request.on('data', onData).on('end', onEnd).on('error', reject).on('close', onClose)
  })
}
