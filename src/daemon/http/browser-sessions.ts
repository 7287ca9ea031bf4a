import type { Clock } from '../../kernel/ports/ports.ts'
import { isSameToken, newToken } from './tokens.ts'
import { sha256 } from '../../platform/base/crypto.ts'
import { BoundedMap } from '../../kernel/structures/bounded-map.ts'

const CODE_TTL_MS = 60_000
const SESSION_TTL_MS = 12 * 3_600_000
const MAX_CODES = 16
const MAX_SESSIONS = 32

interface BrowserSession {
  /** Digest of the page's id. */
  readonly page: string
  readonly pageToken: string
  readonly expiresMs: number
}

/** What a browser gets for a code: its own page, and the cookie for that page's path. */
export interface Login {
  readonly page: string
  readonly cookieValue: string
}

export interface LoginCode {
  readonly code: string
  readonly expiresAt: string
}

export interface BrowserSessions {
  createCode(): LoginCode
  /** Whether the code is unused and fresh; it stays so. */
  hasCode(code: string): boolean
  /** For a code that is unused and fresh; the code is used up. */
  redeem(code: string): Login | undefined
  /** The token for the page, given its id and its cookie. */
  pageToken(login: Login): string | undefined
  /** Whether a page with a valid session contains this token. */
  isPageToken(token: string): boolean
  /** Ends the session of the page with this token. */
  end(token: string): void
}

// Looked up by digest: comparing takes the same time for every wrong guess, and a memory dump contains no cookie.
const digest = sha256

/** Kept in memory only: a browser logs in again after the daemon's restart. */
export function createBrowserSessions(clock: Clock): BrowserSessions {
  const codes = new BoundedMap<string, number>(MAX_CODES)
  /** By the cookie's digest. */
  const sessions = new BoundedMap<string, BrowserSession>(MAX_SESSIONS)
  const isOpen = ({ expiresMs }: BrowserSession) => clock.monotonicMs() < expiresMs
  return {
    createCode() {
      const code = newToken()
      codes.set(digest(code), clock.monotonicMs() + CODE_TTL_MS)
      return { code, expiresAt: new Date(Date.parse(clock.now()) + CODE_TTL_MS).toISOString() }
    },
    hasCode(code) {
      const expiresMs = codes.get(digest(code))
      return expiresMs !== undefined && clock.monotonicMs() < expiresMs
    },
    redeem(code) {
      const key = digest(code)
      const expiresMs = codes.get(key)
      codes.delete(key)
      if (expiresMs === undefined || clock.monotonicMs() >= expiresMs) return undefined
      const login = { page: newToken(), cookieValue: newToken() }
      sessions.set(digest(login.cookieValue), {
        page: digest(login.page),
        pageToken: newToken(),
        expiresMs: clock.monotonicMs() + SESSION_TTL_MS,
      })
      return login
    },
    pageToken({ page, cookieValue }) {
      const session = sessions.get(digest(cookieValue))
      return session !== undefined && session.page === digest(page) && isOpen(session) ? session.pageToken : undefined
    },
    isPageToken: (token) =>
      [...sessions.values()].filter((session) => isSameToken(token, session.pageToken)).some(isOpen),
    end(token) {
      for (const [key, session] of sessions) if (isSameToken(token, session.pageToken)) sessions.delete(key)
    },
  }
}
