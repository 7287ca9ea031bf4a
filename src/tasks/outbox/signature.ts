import { createHmac } from 'node:crypto'
import { HoldfastError } from '../../kernel/errors.ts'

const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64

/** The key behind a Standard Webhooks secret, `whsec_` and base64. */
export function keyOfSecret(secret: string): Buffer {
  const text = secret.trim()
  const key = Buffer.from(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '', 'base64')
  if (key.length >= MIN_BYTES && key.length <= MAX_BYTES) return key
  throw new HoldfastError(
    'invalid-input',
    `The webhook's secret must be ${PREFIX} and ${MIN_BYTES} to ${MAX_BYTES} bytes in base64.`,
    {
      hint: 'Delete the file that `holdfast outbox status` names, and a new one is made.',
    },
  )
}

export function secretOfKey(key: Uint8Array): string {
  return `${PREFIX}${Buffer.from(key).toString('base64')}`
}

export interface SignedContent {
  readonly id: string
  /** Seconds since 1970, as the header says it. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of https://www.standardwebhooks.com: what a receiver checks with a library of its own language. */
export function signatureHeaders(
  key: Buffer,
  { id, timestamp, body }: SignedContent,
): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
