/** reader: reads what is shared, and synchronises its own private things. member: shares too. admin: manages people and keys. */
export const TEAM_ROLES = ['reader', 'member', 'admin'] as const
export type TeamRole = (typeof TEAM_ROLES)[number]

/** The account that the server creates for its operator: it manages people and reads no batch. */
export const OPERATOR = 'operator'
export type CallerRole = TeamRole | typeof OPERATOR

/** Who a request comes from, as its key says. */
export interface TeamCaller {
  readonly team: string
  readonly person: string
  readonly machine: string
  readonly role: CallerRole
}

export type TeamAct = 'exchange' | 'share' | 'invite-own-machine' | 'manage-people'

const ALLOWED: Readonly<Record<CallerRole, readonly TeamAct[]>> = {
  reader: ['exchange', 'invite-own-machine'],
  member: ['exchange', 'share', 'invite-own-machine'],
  admin: ['exchange', 'share', 'invite-own-machine', 'manage-people'],
  operator: ['manage-people'],
}

export function mayDo(role: CallerRole, act: TeamAct): boolean {
  return ALLOWED[role].includes(act)
}

export function isTeamRole(text: unknown): text is TeamRole {
  return TEAM_ROLES.some((role) => role === text)
}

export function isCallerRole(text: unknown): text is CallerRole {
  return text === OPERATOR || isTeamRole(text)
}
