import { createHash, randomBytes } from 'node:crypto'
import type { SealedBatch, SyncAudience, SyncTransport } from '../../src/kernel/ports/sync-transport.ts'
import { systemClock } from '../../src/platform/base/clock.ts'
import { createTeamClient, type TeamClient } from '../../src/team/io/client/team-client.ts'
import { createTeamTransport } from '../../src/team/io/client/http-transport.ts'
import { serveTeam, type ServeTeamOptions, type TeamServer } from '../../src/team/io/server/serve-team.ts'
import type { TeamRole } from '../../src/team/team-role.ts'

const SILENT_LOG = { debug() {}, info() {}, warn() {}, error() {} }

/** A front on a free port of this machine, with limits that a test does not meet. */
export function startTeamServer(stores: readonly string[], more: Partial<ServeTeamOptions> = {}): Promise<TeamServer> {
  const unlimited = { perSecond: 1_000_000, burst: 1_000_000 }
  return serveTeam({
    stores,
    host: '127.0.0.1',
    port: 0,
    isBehindProxy: false,
    teamName: 'crew',
    quotaBytes: 1_000_000_000,
    connections: 4,
    maxBatchBytes: 1_000_000,
    resetsOperator: false,
    limits: { perKey: unlimited, perAddress: unlimited, maxRequestsAtOnce: 256 },
    checkMs: 100,
    clock: systemClock,
    log: SILENT_LOG,
    ...more,
  })
}

export interface TestMember {
  readonly person: string
  readonly machine: string
  readonly key: string
  readonly client: TeamClient
  readonly transport: SyncTransport
}

export const addressOf = ({ port }: Pick<TeamServer, 'port'>) => `http://127.0.0.1:${port}`

let joined = 0

/** Joins a new person with one machine, by an invite of somebody who may invite. */
export async function joinAs(
  server: Pick<TeamServer, 'port'>,
  inviter: TeamClient,
  {
    role = 'member',
    person,
    isForOwnMachine = false,
  }: { role?: TeamRole; person?: string; isForOwnMachine?: boolean } = {},
): Promise<TestMember> {
  joined += 1
  const address = addressOf(server)
  const code = await inviter.createInvite({ role, expiresSeconds: 3_600, isForOwnMachine })
  const admission = await createTeamClient({ server: address }).join({
    code,
    person: person ?? `person-${joined}`,
    name: `somebody ${joined}`,
    machine: `machine-${joined}`,
    machineName: `host ${joined}`,
  })
  const access = { server: address, key: admission.key }
  return { ...admission, client: createTeamClient(access), transport: createTeamTransport(access) }
}

/** The client of the server's operator, who may invite the first admin. */
export function operatorOf(server: TeamServer): TeamClient {
  if (server.operator === undefined) throw new Error('This start created no operator.')
  return createTeamClient({ server: addressOf(server), key: server.operator.key })
}

export const aRepository = (name: string) => createHash('sha256').update(name).digest('hex')

export interface BatchWishes {
  readonly repository?: string
  readonly audience?: SyncAudience
  readonly first?: number
  readonly last?: number
  readonly bytes?: Uint8Array
}

export function aBatch(member: Pick<TestMember, 'machine' | 'person'>, wishes: BatchWishes = {}): SealedBatch {
  const { first = 1 } = wishes
  return {
    repository: aRepository('zebra'),
    audience: 'team',
    last: first,
    ...wishes,
    first,
    machine: member.machine,
    principal: member.person,
    bytes: wishes.bytes ?? Uint8Array.from(randomBytes(200)),
  }
}

/** Every batch of a log as this member sees it. */
export async function readWholeLog(
  { transport }: Pick<TestMember, 'transport'>,
  log: { readonly repository: string; readonly machine: string },
  maxBytes = 1_000,
): Promise<readonly SealedBatch[]> {
  const found: SealedBatch[] = []
  for (let after = 0; ; after = found.at(-1)?.last ?? 0) {
    const batches = await transport.readBatches({ ...log, after, maxBytes })
    if (batches.length === 0) return found
    found.push(...batches)
  }
}
