import { HoldfastError } from '../../../kernel/errors.ts'
import type { Home } from '../../../platform/base/home.ts'
import { type Membership, readMembership, readOperator } from '../../../team/io/client/membership-file.ts'
import { createTeamClient, type TeamClient } from '../../../team/io/client/team-client.ts'

export function requireMembership(home: Home): Membership {
  const membership = readMembership(home)
  if (membership !== undefined) return membership
  throw new HoldfastError('not-found', 'This machine has not joined a team.', {
    hint: 'Run `holdfast team join <link>` with a link of `holdfast team invite`.',
  })
}

export interface TeamManager {
  readonly server: string
  readonly client: TeamClient
}

/** As a member; where the server was started from this home, as its operator. */
export function openTeamManager(home: Home): TeamManager {
  const operator = readOperator(home)
  const membership = readMembership(home)
  // An admin's own key comes first; the operator's is for a person who runs the server and is not an admin of the team.
  const access = membership?.role === 'admin' ? membership : (operator ?? membership)
  const { server, key } = access ?? requireMembership(home)
  return { server, client: createTeamClient({ server, key }) }
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

export function formatBytes(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= 1_024 && unit < UNITS.length - 1) {
    amount /= 1_024
    unit += 1
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit] ?? 'B'}`
}
