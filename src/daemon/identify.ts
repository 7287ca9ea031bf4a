import type { IncomingMessage } from 'node:http'
import { ROUTES } from '../protocol/route-table.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { Listener } from './guard.ts'
import { ANONYMOUS, API, browserPrincipal, HOOK, LOGIN, OWNER, type Principal } from './principal.ts'
import { isSameToken } from './tokens.ts'

// Cookies know no ports: whatever else listens on this host gets it too, so it lives in memory and for hours only.
export const COOKIE = 'holdfast_session'

export interface Credentials {
  readonly apiToken: string
  readonly hookToken: string
  readonly browsers: BrowserSessions
}

function cookieOf(header: string | undefined): string | undefined {
  return header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1)
}

const LOGIN_PATH = `${ROUTES.login.path}?`

function codeOf(url: string | undefined): string | undefined {
  return url?.startsWith(LOGIN_PATH)
    ? (new URLSearchParams(url.slice(LOGIN_PATH.length)).get('code') ?? undefined)
    : undefined
}

/** Who is asking. A wrong token is nobody, never a lesser somebody. */
export function identify(request: IncomingMessage, listener: Listener, credentials: Credentials): Principal {
  if (listener.kind === 'socket') return OWNER
  const { authorization, cookie } = request.headers
  if (authorization !== undefined) {
    const token = /^Bearer ([\w-]+)$/.exec(authorization)?.[1] ?? ''
    const isApi = isSameToken(token, credentials.apiToken)
    const isHook = isSameToken(token, credentials.hookToken)
    return isApi ? API : isHook ? HOOK : ANONYMOUS
  }
  const value = cookieOf(cookie)
  const browser = value === undefined ? undefined : credentials.browsers.find(value)
  if (browser !== undefined) return browserPrincipal(browser.csrfToken)
  const code = codeOf(request.url)
  return code !== undefined && credentials.browsers.hasCode(code) ? LOGIN : ANONYMOUS
}
