import { HoldfastError } from '../../kernel/errors.ts'
import { createHmac } from 'node:crypto'
import { getErrorCode } from '../../platform/base/errno.ts'

const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64

/** Decodes a Standard Webhooks secret: `whsec_` and base64. */
export function decodeSecret(secret: string): Buffer {
  const text = secret.trim()
  const key = Buffer.from(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '', 'base64')
  if (key.length >= MIN_BYTES && key.length <= MAX_BYTES) return key
  throw new HoldfastError(
    'invalid-input',
    `The webhook secret must be ${PREFIX} followed by ${MIN_BYTES} to ${MAX_BYTES} bytes in base64.`,
    {
      hint: 'Delete the file that `holdfast outbox status` names; a new secret is then created.',
    },
  )
}

export function encodeSecret(key: Uint8Array): string {
  return `${PREFIX}${Buffer.from(key).toString('base64')}`
}

export interface SignedContent {
  readonly id: string
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of https://www.standardwebhooks.com, which receivers verify with a library. */
export function createSignatureHeaders(
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

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Accepts https, and http only on this machine; never a password in the URL. */
export function parseWebhookAddress(text: string): URL {
  const refuse = (why: string): never => {
    // The URL itself is not repeated, because it may contain a token.
    throw new HoldfastError('invalid-input', `The webhook URL ${why}.`, {
      hint: 'Set outbox.url in the user configuration to https://…, or to http://127.0.0.1:… for this machine.',
    })
  }
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return refuse('is not valid')
  }
  if (url.username !== '' || url.password !== '') return refuse('may not contain a user name or password')
  if (url.protocol === 'https:') return url
  if (url.protocol !== 'http:') return refuse(`starts with ${url.protocol}, not with https:`)
  return LOOPBACK.test(url.hostname) ? url : refuse('is plain http to another machine')
}

/** For display, without the query, which may be secret. */
export function formatAddress(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`
}

interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}

/** The result of one attempt. Only 2xx counts. Redirects are not followed: only the user chooses the URL. */
export type PostResult =
  | { readonly is: 'delivered' }
  /** `retryAfterMs` is set if the receiver named a time. */
  | { readonly is: 'failed'; readonly why: string; readonly retryAfterMs?: number | undefined }

const MAX_RETRY_AFTER_MS = 3_600_000

function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return undefined
  return Math.min(Number(header) * 1_000, MAX_RETRY_AFTER_MS)
}

function judgeStatus(status: number, retryAfter: string | undefined): PostResult {
  if (status >= 200 && status < 300) return { is: 'delivered' }
  const why = status >= 300 && status < 400 ? `redirected (${status}); redirects are not followed` : `status ${status}`
  return { is: 'failed', why, retryAfterMs: retryAfterMs(retryAfter) }
}

/** One attempt, within one deadline. Never throws for network or receiver errors. */
export function postEvent({ url, headers, body, timeoutMs }: Post): Promise<PostResult> {
  // Loaded with the first event, because only few daemons send any, and an `import` would cost each 14 MB on Node 24.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve) => {
    const call = request(url, {
      method: 'POST',
      // One connection per event: a stale kept-alive connection would fail.
      agent: false,
      headers: {
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'holdfast',
        ...headers,
      },
    })
    const settle = (posted: PostResult) => {
      clearTimeout(timer)
      resolve(posted)
      call.destroy()
    }
    const timer = setTimeout(() => settle({ is: 'failed', why: `no answer within ${timeoutMs} ms` }), timeoutMs)
    // The body of the answer is not read.
    call.once('response', (response) => settle(judgeStatus(response.statusCode ?? 0, response.headers['retry-after'])))
    call.on('error', (error) => settle({ is: 'failed', why: getErrorCode(error) ?? 'connection failed' }))
    call.end(body)
  })
}
