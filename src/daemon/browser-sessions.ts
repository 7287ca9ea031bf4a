import { createHash } from 'node:crypto'
import type { Clock } from '../core/ports.ts'
import { newToken } from './tokens.ts'

const CODE_TTL_MS = 60_000
const SESSION_TTL_MS = 12 * 3_600_000
const MAX_CODES = 16
const MAX_SESSIONS = 32

interface BrowserSession {
  readonly csrfToken: string
  readonly expiresMs: number
}

export interface LoginCode {
  readonly code: string
  readonly expiresAt: string
}

export interface BrowserSessions {
  createCode(): LoginCode
  /** Whether the code is unused and fresh; it stays so. */
  hasCode(code: string): boolean
  /** The cookie's value for a code that is unused and fresh; the code is used up. */
  redeem(code: string): string | undefined
  find(cookieValue: string): { readonly csrfToken: string } | undefined
}

// Looked up by digest, so that comparing takes the same time for every wrong guess, and a memory dump holds no cookie.
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

function dropOldest(entries: Map<string, unknown>, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(key)
  }
}

/** Kept in memory only: a browser logs in again after the daemon's restart. */
export function createBrowserSessions(clock: Clock): BrowserSessions {
  const codes = new Map<string, number>()
  const sessions = new Map<string, BrowserSession>()
  return {
    createCode() {
      const code = newToken()
      codes.set(digest(code), clock.monotonicMs() + CODE_TTL_MS)
      dropOldest(codes, MAX_CODES)
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
      const cookieValue = newToken()
      sessions.set(digest(cookieValue), { csrfToken: newToken(), expiresMs: clock.monotonicMs() + SESSION_TTL_MS })
      dropOldest(sessions, MAX_SESSIONS)
      return cookieValue
    },
    find(cookieValue) {
      const session = sessions.get(digest(cookieValue))
      return session !== undefined && clock.monotonicMs() < session.expiresMs ? session : undefined
    },
  }
}
