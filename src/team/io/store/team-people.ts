import { randomBytes, randomUUID } from 'node:crypto'
import { HoldfastError } from '../../../kernel/errors.ts'
import { sha256 } from '../../../platform/base/crypto.ts'
import type { TeamAdmission, TeamDeparture, TeamMachine, TeamPerson } from '../../team-records.ts'
import { isTeamRole, mayDo, OPERATOR, type TeamCaller, type TeamRole } from '../../team-role.ts'
import { claimFact } from './migrate-team.ts'
import type { TeamTransaction } from './team-pool.ts'
import { TEAM_QUERIES } from './team-queries.ts'
import { toPrincipal, type TeamStore } from './team-store.ts'

/** 256 random bits: no salt is needed for its hash. */
function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function hashSecret(secret: string): string {
  return sha256(`holdfast team ${secret}`)
}

export interface OperatorKey {
  readonly team: string
  readonly key: string
}

export interface FoundTeamOptions {
  readonly name: string
  readonly quotaBytes: number
  /** A new key for the operator; the one before is revoked. */
  readonly isReset: boolean
}

/** The first start creates the team. Undefined when it exists, unless a new operator key was requested. */
export async function foundTeam(
  store: TeamStore,
  { name, quotaBytes, isReset }: FoundTeamOptions,
): Promise<OperatorKey | undefined> {
  const wanted = randomUUID()
  const team = await claimFact(store.directory, 'team', wanted)
  const isNew = team === wanted
  if (!isNew && !isReset) return undefined
  const key = createSecret()
  await store.directory.transact({ team, role: 'founding' }, async (transaction) => {
    const [known] = await transaction.run(TEAM_QUERIES.readTeam, { team })
    if (known === undefined) await transaction.run(TEAM_QUERIES.addTeam, { team, name, quotaBytes })
    await transaction.run(TEAM_QUERIES.revokeMachineKeys, { team, machine: OPERATOR })
    await transaction.run(TEAM_QUERIES.addKey, {
      keyHash: hashSecret(key),
      team,
      person: OPERATOR,
      machine: OPERATOR,
      role: OPERATOR,
    })
  })
  return { team, key }
}

function requireManager(caller: TeamCaller, what: string): void {
  if (mayDo(caller.role, 'manage-people')) return
  throw new HoldfastError('forbidden', `Only an admin of the team can ${what}.`, {
    hint: '`holdfast team members` shows who is one.',
  })
}

export interface InviteRequest {
  readonly role: TeamRole
  readonly expiresSeconds: number
  /** For another machine of the caller. */
  readonly isForOwnMachine: boolean
}

/** The code works once. Only its hash is stored. */
export async function createInvite(store: TeamStore, caller: TeamCaller, request: InviteRequest): Promise<string> {
  const { isForOwnMachine, expiresSeconds } = request
  if (!isForOwnMachine) requireManager(caller, 'invite people')
  else if (!mayDo(caller.role, 'invite-own-machine')) {
    throw new HoldfastError('forbidden', 'The operator of the server is not a member and has no machines.', {
      hint: 'Invite a person: `holdfast team invite --role admin`.',
    })
  }
  const code = createSecret()
  const role = isForOwnMachine && isTeamRole(caller.role) ? caller.role : request.role
  await store.directory.transact(toPrincipal(caller), (transaction) =>
    transaction.run(TEAM_QUERIES.addInvite, {
      codeHash: hashSecret(code),
      team: caller.team,
      role,
      person: isForOwnMachine ? caller.person : null,
      reader: caller.person,
      expiresSeconds,
    }),
  )
  return code
}

export interface JoinRequest {
  readonly code: string
  readonly person: string
  readonly name: string
  readonly machine: string
  readonly machineName: string
}

interface InviteRow {
  readonly team: string
  readonly role: string
  readonly person: string | null
  readonly is_used: boolean
  readonly is_expired: boolean
}

function refuseInvite(invite: InviteRow | undefined): HoldfastError {
  const [what, hint] =
    invite?.is_used === true
      ? ['This invite was used already.', 'An invite works once. Ask for a new one: `holdfast team invite`.']
      : invite?.is_expired === true
        ? ['This invite has expired.', 'Ask for a new one: `holdfast team invite`.']
        : ['This invite is not known here.', 'Copy the whole link, or ask for a new one.']
  return new HoldfastError('unauthorized', what, { hint })
}

async function admit(
  transaction: TeamTransaction,
  values: Readonly<Record<'team' | 'person' | 'machine' | 'role', string>>,
  request: JoinRequest,
  isNewPerson: boolean,
): Promise<string> {
  const { team, person, machine, role } = values
  const added = isNewPerson
    ? await transaction.run(TEAM_QUERIES.addPerson, { team, person, name: request.name, role })
    : []
  if (isNewPerson && added.length === 0) {
    throw new HoldfastError('conflict', 'A person with the id of this home is already in the team.', {
      hint: 'For another machine of yours, run `holdfast team invite --own-machine` on one that has joined.',
    })
  }
  const machines = await transaction.run(TEAM_QUERIES.addMachine, { team, machine, person, name: request.machineName })
  if (machines.length === 0) {
    throw new HoldfastError('conflict', 'This machine is already in the team.', {
      hint: 'Run `holdfast team leave` on it first, or have an admin run `holdfast team key revoke`.',
    })
  }
  const key = createSecret()
  await transaction.run(TEAM_QUERIES.addKey, { keyHash: hashSecret(key), team, person, machine, role })
  return key
}

/** A refused join stores nothing, so the invite can still be used. */
export async function joinTeam(store: TeamStore, request: JoinRequest): Promise<TeamAdmission> {
  const codeHash = hashSecret(request.code)
  const { machine } = request
  const [invite] = await store.directory.transact({ invite: codeHash }, (transaction) =>
    transaction.run<InviteRow>(TEAM_QUERIES.findInvite, { codeHash }),
  )
  if (invite === undefined || invite.is_used || invite.is_expired || !isTeamRole(invite.role))
    throw refuseInvite(invite)
  const { team, role } = invite
  const person = invite.person ?? request.person
  if (person === OPERATOR || machine === OPERATOR)
    throw new HoldfastError('invalid-input', `"${OPERATOR}" is the server's own account.`)
  const principal = { team, person, machine, role: 'joining', invite: codeHash }
  try {
    return await store.directory.transact(principal, async (transaction) => {
      const used = await transaction.run(TEAM_QUERIES.useInvite, { codeHash, machine })
      if (used.length === 0) throw refuseInvite({ ...invite, is_used: true })
      const key = await admit(transaction, { team, person, machine, role }, request, invite.person === null)
      const [row] = await transaction.run<{ name: string }>(TEAM_QUERIES.readTeam, { team })
      return { team, teamName: row?.name ?? '', person, machine, role, key }
    })
  } catch (thrown) {
    // Row-level security: the machine is there, and it belongs to another person.
    if (!(thrown instanceof HoldfastError) || thrown.code !== 'forbidden') throw thrown
    throw new HoldfastError('conflict', 'The id of this machine belongs to another person of the team.', {
      hint: 'Was this home copied? Delete the file `machine` in the home of Holdfast, restart the daemon and join again.',
      cause: thrown,
    })
  }
}

export async function listPeople(store: TeamStore, caller: TeamCaller): Promise<readonly TeamPerson[]> {
  const rows = await store.directory.transact(toPrincipal(caller), (transaction) =>
    transaction.run<{ person: string; name: string; role: string; joined_at: Date }>(TEAM_QUERIES.listPeople, {
      team: caller.team,
    }),
  )
  return rows.map(({ person, name, role, joined_at }) => ({
    person,
    name,
    role: isTeamRole(role) ? role : 'reader',
    joinedAt: joined_at.toISOString(),
  }))
}

interface MachineRow {
  readonly machine: string
  readonly person: string
  readonly name: string
  readonly joined_at: Date
  readonly left_at: Date | null
  readonly seen_on: string | null
}

export async function listMachines(store: TeamStore, caller: TeamCaller): Promise<readonly TeamMachine[]> {
  const rows = await store.directory.transact(toPrincipal(caller), (transaction) =>
    transaction.run<MachineRow>(TEAM_QUERIES.listMachines, { team: caller.team }),
  )
  return rows.map(({ machine, person, name, joined_at, left_at, seen_on }) => ({
    machine,
    person,
    name,
    joinedAt: joined_at.toISOString(),
    ...(left_at !== null && { leftAt: left_at.toISOString() }),
    ...(seen_on !== null && { seenOn: seen_on }),
  }))
}

async function refuseLastAdmin(store: TeamStore, caller: TeamCaller, person: string): Promise<void> {
  const { team } = caller
  const [found, admins] = await store.directory.transact(toPrincipal(caller), async (transaction) => {
    const [row] = await transaction.run<{ role: string }>(TEAM_QUERIES.findPerson, { team, person })
    const [count] = await transaction.run<{ admins: number }>(TEAM_QUERIES.countAdmins, { team })
    return [row, count?.admins ?? 0] as const
  })
  if (found === undefined) {
    throw new HoldfastError('not-found', `There is no person ${person} in the team.`, {
      hint: '`holdfast team members` lists them.',
    })
  }
  const isLast = found.role === 'admin' && admins <= 1
  if (!isLast || caller.role === OPERATOR) return
  throw new HoldfastError('conflict', `${person} is the last admin of the team.`, {
    hint: 'Make another member an admin first: `holdfast team role <person> admin`.',
  })
}

export async function changeRole(
  store: TeamStore,
  caller: TeamCaller,
  change: { readonly person: string; readonly role: TeamRole },
): Promise<void> {
  requireManager(caller, 'change roles')
  if (change.role !== 'admin') await refuseLastAdmin(store, caller, change.person)
  const values = { team: caller.team, ...change }
  const changed = await store.directory.transact(toPrincipal(caller), async (transaction) => {
    const rows = await transaction.run(TEAM_QUERIES.setPersonRole, values)
    await transaction.run(TEAM_QUERIES.setKeyRoles, values)
    return rows
  })
  if (changed.length === 0) throw new HoldfastError('not-found', `There is no person ${change.person} in the team.`)
}

/**
 * Returns the number of keys that worked until now. The machine's public keys are withdrawn too, at which the next
 * exchange of another member makes a new key for the space.
 */
export async function revokeMachine(
  store: TeamStore,
  caller: TeamCaller,
  machine: string,
): Promise<{ readonly keys: number; readonly keyGeneration: number }> {
  const { team } = caller
  return store.directory.transact(toPrincipal(caller), async (transaction) => {
    const keys = await transaction.run(TEAM_QUERIES.revokeMachineKeys, { team, machine })
    const left = await transaction.run(TEAM_QUERIES.markMachineLeft, { team, machine })
    if (keys.length === 0 && left.length === 0) {
      throw new HoldfastError('not-found', `There is no machine ${machine} whose key you could revoke.`, {
        hint: '`holdfast team machines` lists them. Keys of other people are revoked by an admin.',
      })
    }
    await transaction.run(TEAM_QUERIES.deleteMemberOfMachine, { team, machine })
    const [row] = await transaction.run<{ key_generation: number }>(TEAM_QUERIES.raiseKeyGeneration, { team })
    return { keys: keys.length, keyGeneration: row?.key_generation ?? 0 }
  })
}

/** Deletes the private records of the person on every store; shared records stay. */
async function deletePrivate(store: TeamStore, { team, person }: { readonly team: string; readonly person: string }) {
  const principal = { team, person, role: 'removal' }
  let logs = 0
  let batches = 0
  let bytes = 0
  let shared = 0
  for (const shard of store.shards) {
    const listed = await shard.transact(principal, async (transaction) => {
      const [row] = await transaction.run<{ batches: number }>(TEAM_QUERIES.countShared, { team, person })
      shared += row?.batches ?? 0
      return transaction.run<{ repository: string; machine: string }>(TEAM_QUERIES.listPrivateLogs, { team, person })
    })
    for (const { repository, machine } of listed) {
      const place = { repository, machine, team, person }
      const gone = await shard.transact(principal, async (transaction) => {
        const deleted = await transaction.run<{ size: number }>(TEAM_QUERIES.deletePrivateBatches, place)
        await transaction.run(TEAM_QUERIES.emptyPrivateLog, place)
        return deleted
      })
      logs += 1
      batches += gone.length
      bytes += gone.reduce((sum, { size }) => sum + size, 0)
    }
  }
  return { logs, batches, bytes, shared }
}

/** First the keys, so that nothing is added meanwhile; it can be repeated after a failure. */
export async function removePerson(store: TeamStore, caller: TeamCaller, person: string): Promise<TeamDeparture> {
  if (person !== caller.person) requireManager(caller, 'remove people')
  await refuseLastAdmin(store, caller, person)
  const { team } = caller
  const principal = { team, person, role: 'removal' }
  const revoked = await store.directory.transact(principal, async (transaction) => ({
    keys: (await transaction.run(TEAM_QUERIES.revokePersonKeys, { team, person })).length,
    machines: (await transaction.run(TEAM_QUERIES.markMachinesLeft, { team, person })).length,
    invites: (await transaction.run(TEAM_QUERIES.endInvites, { team, person })).length,
  }))
  const gone = await deletePrivate(store, { team, person })
  return store.directory.transact(principal, async (transaction) => {
    await transaction.run(TEAM_QUERIES.deleteMembersOfPerson, { team, person })
    await transaction.run(TEAM_QUERIES.deletePerson, { team, person })
    const [row] = await transaction.run<{ key_generation: number }>(TEAM_QUERIES.raiseKeyGeneration, { team })
    return {
      person,
      machines: revoked.machines,
      keys: revoked.keys,
      privateLogs: gone.logs,
      privateBatches: gone.batches,
      privateBytes: gone.bytes,
      sharedBatches: gone.shared,
      keyGeneration: row?.key_generation ?? 0,
    }
  })
}
