import type { IncomingMessage } from 'node:http'
import { HEADER } from '../../wire/headers.ts'
import { ROUTES } from '../../api/route-table.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { Listener } from './guard.ts'
import { ANONYMOUS, API, BROWSER, HOOK, LOGIN, OWNER, pagePrincipal, type Principal } from './principal.ts'
import { isSameToken } from './tokens.ts'

export const COOKIE = 'holdfast_session'

/**
 * Cookies know no ports: a browser sends one to whatever else listens on this host. It does so only for paths below the one that the
 * cookie was set for, and that is a random one, which no other server can have a browser ask for.
 */
export const pathOfPage = (page: string) => ROUTES.dashboardPage.path.replace(':page', page)

const PAGE_PATH = pathOfPage('')

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

function pageOf(url: string | undefined): string | undefined {
  return url?.startsWith(PAGE_PATH) ? url.slice(PAGE_PATH.length).split('?')[0] : undefined
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
  const given = request.headers[HEADER.page]
  if (given !== undefined)
    return typeof given === 'string' && credentials.browsers.isPageToken(given) ? BROWSER : ANONYMOUS
  const [page, cookieValue] = [pageOf(request.url), cookieOf(cookie)]
  const pageToken =
    page === undefined || cookieValue === undefined ? undefined : credentials.browsers.pageToken({ page, cookieValue })
  if (pageToken !== undefined) return pagePrincipal(pageToken)
  const code = codeOf(request.url)
  return code !== undefined && credentials.browsers.hasCode(code) ? LOGIN : ANONYMOUS
}
