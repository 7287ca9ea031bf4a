import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HEADER } from '../../wire/headers.ts'
import { refusal, type Refusal } from './http-errors.ts'

/** Where a request came in. The socket has no port of its own; its callers may name any of these hosts. */
export interface Listener {
  readonly kind: 'socket' | 'tcp'
  /** The TCP port; undefined while there is none. */
  readonly port: () => number | undefined
  /** Called for every connection that sent a valid credential. */
  readonly onAuthenticated?: (socket: Socket) => void
}

/** The request line and headers, checked before any routing. */
export interface RequestHead {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** Names and values in turn, as sent, so that repeated headers are visible. */
  readonly rawHeaders: readonly string[]
}

/** Only names that no DNS server can point elsewhere. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'] as const
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** All values of each header, by lower-case name. */
function groupHeaders({ rawHeaders }: RequestHead): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    const value = rawHeaders[at + 1] ?? ''
    const before = values.get(name)
    if (before === undefined) values.set(name, [value])
    else before.push(value)
  }
  return values
}

function isAllowedHost(host: string, listener: Listener): boolean {
  const name = host.toLowerCase()
  const port = listener.port()
  return LOOPBACK.some(
    (known) => (listener.kind === 'socket' && name === known) || (port !== undefined && name === `${known}:${port}`),
  )
}

function isJson(contentType: string): boolean {
  return /^application\/json(?:\s*;|$)/i.test(contentType.trim())
}

/** Why a request must not go further, whatever route it is for; undefined when it may. */
export function findHeadRefusal(head: RequestHead, listener: Listener): Refusal | undefined {
  if (head.url?.startsWith('/') !== true) {
    return refusal('forbidden', 'The request target must be a path.')
  }
  const values = groupHeaders(head)
  const hosts = values.get('host') ?? []
  const host = hosts[0] ?? ''
  if (hosts.length !== 1 || !isAllowedHost(host, listener)) {
    return refusal('forbidden', 'The Host header does not name this daemon.', {
      hint: 'Use 127.0.0.1, localhost or [::1] with the port that the daemon listens on.',
    })
  }
  const origins = values.get('origin') ?? []
  const isSameOrigin = listener.kind === 'tcp' && origins.length === 1 && origins[0] === `http://${host}`
  if (origins.length > 0 && !isSameOrigin) {
    return refusal('forbidden', 'Requests from other web pages are refused.')
  }
  const sites = values.get('sec-fetch-site') ?? []
  if (sites.some((site) => site !== 'same-origin' && site !== 'none')) {
    return refusal('forbidden', 'Requests from other web pages are refused.')
  }
  if (SAFE_METHODS.has(head.method ?? '')) return undefined
  const types = values.get('content-type') ?? []
  if (types.length !== 1 || !isJson(types[0] ?? '')) {
    return refusal('invalid-input', 'Changes are accepted only with Content-Type: application/json.', { status: 415 })
  }
  return undefined
}

/** On every reply, refusals included. No Access-Control header is ever sent, on purpose. */
const SECURITY_HEADERS = Object.entries({
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
})

const HOOK_CLIENTS: ReadonlySet<unknown> = new Set(['launcher', 'hook'])

/**
 * Hooks do not need a browser's protections, and no web page can pose as a hook: it cannot send our header without a
 * preflight. The launcher is a shell script that reads a reply byte by byte, so every header delays the user's prompt.
 */
export function setSecurityHeaders(outgoing: ServerResponse, incoming: IncomingMessage): void {
  if (HOOK_CLIENTS.has(incoming.headers[HEADER.client]) && incoming.headers['sec-fetch-site'] === undefined) {
    outgoing.sendDate = false
    return
  }
  for (const [name, value] of SECURITY_HEADERS) outgoing.setHeader(name, value)
}
