import type { Scope } from '../../api/route-table.ts'

/** login: brings a fresh code of `holdfast dashboard`. owner: came through the Unix socket, whose file mode is the credential. */
export type PrincipalName = 'owner' | 'api' | 'hook' | 'browser' | 'login' | 'anonymous'

export interface Principal {
  readonly name: PrincipalName
  readonly scopes: ReadonlySet<Scope>
  /** Set for a browser that opens its page: what the page is to hold. */
  readonly pageToken?: string
}

const scopes = (...names: readonly Scope[]): ReadonlySet<Scope> => new Set<Scope>(['public', ...names])

export const OWNER: Principal = { name: 'owner', scopes: scopes('hook', 'read', 'write', 'project', 'admin') }
export const API: Principal = { name: 'api', scopes: scopes('read', 'write', 'project', 'admin') }
/** The launcher's token lies in every hook process's reach, so it opens the hook door and nothing else. */
export const HOOK: Principal = { name: 'hook', scopes: scopes('hook') }
/** Whoever brings a code that is good: nobody else can use up its room, and it opens nothing more. */
export const LOGIN: Principal = { name: 'login', scopes: scopes() }
export const ANONYMOUS: Principal = { name: 'anonymous', scopes: scopes() }

/** A script of the dashboard's page: it changes the store and nothing beside it. */
export const BROWSER: Principal = { name: 'browser', scopes: scopes('read', 'write') }

/** Browsers send cookies by themselves, so a cookie opens the page that it was set for and no route of the API. */
export function pagePrincipal(pageToken: string): Principal {
  return { name: 'browser', scopes: scopes(), pageToken }
}
