import type { IncomingMessage } from 'node:http'
import { HoldfastError } from '../../../kernel/errors.ts'

function refuseSize(maxBytes: number): HoldfastError {
  return new HoldfastError('too-large', `The request is larger than ${maxBytes} bytes.`, {
    hint: 'Send smaller batches.',
  })
}

/** The whole body. Throws `too-large` as soon as that is known; no byte above the limit is buffered. */
export async function readBodyBytes(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw refuseSize(maxBytes)
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else {
        request.pause()
        reject(refuseSize(maxBytes))
      }
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => {
      if (!request.readableEnded)
        reject(new HoldfastError('invalid-input', 'The request ended before its body was complete.'))
    })
  })
}
