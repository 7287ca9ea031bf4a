import type { Clock } from '../../kernel/ports/ports.ts'
import type { Home } from '../../platform/base/home.ts'
import { createBrowserSessions } from './browser-sessions.ts'
import type { Credentials } from './identify.ts'
import { ensureToken } from './tokens.ts'

/** Everything a caller can show, made at first need. Call it only while holding the lock. */
export function openCredentials(home: Home, clock: Clock): Credentials {
  return {
    apiToken: ensureToken(home.tokenFile),
    hookToken: ensureToken(home.hookTokenFile),
    browsers: createBrowserSessions(clock),
  }
}
