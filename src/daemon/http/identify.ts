import type { IncomingMessage } from 'node:http'
import { HEADER } from '../../wire/headers.ts'
import { ROUTES } from '../../api/route-table.ts'
import { type BrowserSessions, createBrowserSessions } from './browser-sessions.ts'
import type { Listener } from './guard.ts'
import { isSameToken, ensureToken } from './tokens.ts'
import type { AccessScope } from '../../api/route.ts'
import type { Clock } from '../../kernel/ports/ports.ts'
import type { Home } from '../../platform/base/home.ts'

/** Every credential that a caller can send, created when missing. Call it only while holding the lock. */
export function openCredentials(home: Home, clock: Clock): Credentials {
  return {
    apiToken: ensureToken(home.tokenFile),
    hookToken: ensureToken(home.hookTokenFile),
    browsers: createBrowserSessions(clock),
  }
}

/** login: has a fresh code of `holdfast dashboard`. owner: uses the Unix socket, whose file mode is the credential. */
export type PrincipalName = 'owner' | 'api' | 'hook' | 'browser' | 'login' | 'anonymous'

export interface Principal {
  readonly name: PrincipalName
  readonly scopes: ReadonlySet<AccessScope>
  /** Set for a browser that opens its page: the token that the page contains. */
  readonly pageToken?: string
}

const scopes = (...names: readonly AccessScope[]): ReadonlySet<AccessScope> =>
  new Set<AccessScope>(['public', ...names])

export const OWNER: Principal = { name: 'owner', scopes: scopes('hook', 'read', 'write', 'project', 'admin') }
const API: Principal = { name: 'api', scopes: scopes('read', 'write', 'project', 'admin') }
/** Every hook process can read the launcher's token, so it allows hook calls and nothing else. */
const HOOK: Principal = { name: 'hook', scopes: scopes('hook') }
/** A caller with a valid login code: it has its own limits, and may do nothing else. */
const LOGIN: Principal = { name: 'login', scopes: scopes() }
const ANONYMOUS: Principal = { name: 'anonymous', scopes: scopes() }

/** A script of the dashboard: it may change the store and nothing else. */
const BROWSER: Principal = { name: 'browser', scopes: scopes('read', 'write') }

/** Browsers send cookies on their own, so a cookie gives access to the page that it was set for and to no API route. */
function pagePrincipal(pageToken: string): Principal {
  return { name: 'browser', scopes: scopes(), pageToken }
}

export const COOKIE = 'holdfast_session'

/**
 * Cookies ignore ports: a browser sends one to any server on this host, but only for paths below the cookie's own. That path
 * is random, so no other server can make a browser request it.
 */
export const getPagePath = (page: string) => ROUTES.dashboardPage.path.replace(':page/*', page)

const PAGE_PATH = getPagePath('')

export interface Credentials {
  readonly apiToken: string
  readonly hookToken: string
  readonly browsers: BrowserSessions
}

function findCookie(header: string | undefined): string | undefined {
  return header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1)
}

function findPage(url: string | undefined): string | undefined {
  return url?.startsWith(PAGE_PATH) ? url.slice(PAGE_PATH.length).split(/[/?]/)[0] : undefined
}

const LOGIN_PATH = `${ROUTES.login.path}?`

function findLoginCode(url: string | undefined): string | undefined {
  return url?.startsWith(LOGIN_PATH)
    ? (new URLSearchParams(url.slice(LOGIN_PATH.length)).get('code') ?? undefined)
    : undefined
}

/** The caller of a request. A wrong token is anonymous, never a lesser principal. */
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
  const [page, cookieValue] = [findPage(request.url), findCookie(cookie)]
  const pageToken =
    page === undefined || cookieValue === undefined ? undefined : credentials.browsers.pageToken({ page, cookieValue })
  if (pageToken !== undefined) return pagePrincipal(pageToken)
  const code = findLoginCode(request.url)
  return code !== undefined && credentials.browsers.hasCode(code) ? LOGIN : ANONYMOUS
}
