import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { errnoOf } from '../../platform/base/errno.ts'

export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}

/** What became of one try. Only a 2xx counts; a redirect is not followed: the address is the user's, not the receiver's. */
export type Posted =
  | { readonly is: 'delivered' }
  /** Worth another try; `retryAfterMs` when the receiver named a time. */
  | { readonly is: 'failed'; readonly why: string; readonly retryAfterMs?: number | undefined }

const MAX_RETRY_AFTER_MS = 3_600_000

function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return undefined
  return Math.min(Number(header) * 1_000, MAX_RETRY_AFTER_MS)
}

function judge(status: number, retryAfter: string | undefined): Posted {
  if (status >= 200 && status < 300) return { is: 'delivered' }
  const why = status >= 300 && status < 400 ? `redirected (${status}); redirects are not followed` : `status ${status}`
  return { is: 'failed', why, retryAfterMs: retryAfterMs(retryAfter) }
}

/** One try, within one deadline from first to last byte. Never throws for what the network or the receiver does. */
export function postEvent({ url, headers, body, timeoutMs }: Post): Promise<Posted> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const call = request(url, {
      method: 'POST',
      // A connection for each: what a receiver that died left of an old one is no reason to fail.
      agent: false,
      headers: {
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'holdfast',
        ...headers,
      },
    })
    const settle = (posted: Posted) => {
      clearTimeout(timer)
      resolve(posted)
      call.destroy()
    }
    const timer = setTimeout(() => settle({ is: 'failed', why: `no answer within ${timeoutMs} ms` }), timeoutMs)
    // The status line is the answer; whatever the receiver has to say after it is not read.
    call.once('response', (response) => settle(judge(response.statusCode ?? 0, response.headers['retry-after'])))
    call.on('error', (error) => settle({ is: 'failed', why: errnoOf(error) ?? 'connection failed' }))
    call.end(body)
  })
}
