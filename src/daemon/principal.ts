import type { Scope } from '../protocol/route-table.ts'

/** login: brings a fresh code of `holdfast dashboard`. owner: came through the Unix socket, whose file mode is the credential. */
export type PrincipalName = 'owner' | 'api' | 'hook' | 'browser' | 'login' | 'anonymous'

export interface Principal {
  readonly name: PrincipalName
  readonly scopes: ReadonlySet<Scope>
  /** Set for a browser: what its changes must carry in the CSRF header. */
  readonly csrfToken?: string
}

const scopes = (...names: readonly Scope[]): ReadonlySet<Scope> => new Set<Scope>(['public', ...names])

export const OWNER: Principal = { name: 'owner', scopes: scopes('hook', 'read', 'write', 'project', 'admin') }
export const API: Principal = { name: 'api', scopes: scopes('read', 'write', 'project', 'admin') }
/** The launcher's token lies in every hook process's reach, so it opens the hook door and nothing else. */
export const HOOK: Principal = { name: 'hook', scopes: scopes('hook') }
/** Whoever brings a code that is good: nobody else can use up its room, and it opens nothing more. */
export const LOGIN: Principal = { name: 'login', scopes: scopes() }
export const ANONYMOUS: Principal = { name: 'anonymous', scopes: scopes() }

/** A cookie goes to every port of this host, so it changes the store and nothing beside it. */
export function browserPrincipal(csrfToken: string): Principal {
  return { name: 'browser', scopes: scopes('read', 'write'), csrfToken }
}
