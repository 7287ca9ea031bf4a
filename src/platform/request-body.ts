import type { IncomingMessage } from 'node:http'
import { HoldfastError } from '../kernel/errors.ts'

function refuseSize(maxBytes: number): HoldfastError {
  return new HoldfastError('too-large', `The body is larger than ${maxBytes} bytes.`, { hint: 'Send less at once.' })
}

/** The whole body. Throws `too-large` as soon as that is known; no byte above the limit is buffered. */
export async function readBodyBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw refuseSize(maxBytes)
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else {
        request.off('data', onData).pause()
        reject(refuseSize(maxBytes))
      }
    }
    const onEnd = () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    const onClose = () => {
      if (!request.readableEnded)
        reject(new HoldfastError('invalid-input', 'The request ended before its body was complete.'))
    }
    request.on('data', onData).on('end', onEnd).on('error', reject).on('close', onClose)
  })
}
