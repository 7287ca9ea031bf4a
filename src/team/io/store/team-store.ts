import { HoldfastError } from '../../../kernel/errors.ts'
import type { Clock, Log } from '../../../kernel/ports/ports.ts'
import type { SealedBatch, SyncLog } from '../../../kernel/ports/sync-transport.ts'
import { findShard } from '../../repository-shard.ts'
import type { TeamRead } from '../../team-records.ts'
import { isCallerRole, mayDo, type TeamCaller } from '../../team-role.ts'
import { checkProtection, checkTeamSchema, claimShards, migrateTeamStore } from './migrate-team.ts'
import { TeamPool, type TeamTransaction } from './team-pool.ts'
import { TEAM_QUERIES } from './team-queries.ts'

export interface BatchRange {
  readonly repository: string
  readonly machine: string
  readonly after: number
  readonly maxBytes: number
}

export interface ListedDocument {
  readonly name: string
  /** SHA-256 of its content, so that a machine reads again only what has changed. */
  readonly digest: string
}

/** What the front needs of its stores; every call runs with the rights of its caller. */
export interface TeamStore extends AsyncDisposable {
  /** People, keys and documents, and batches too when there is one store only. */
  readonly directory: TeamPool
  readonly shards: readonly TeamPool[]
  /** Undefined for an unknown or revoked key. */
  findCaller(keyHash: string): Promise<TeamCaller | undefined>
  listLogs(caller: TeamCaller, repositories?: readonly string[]): Promise<readonly SyncLog[]>
  readBatches(caller: TeamCaller, range: BatchRange): Promise<readonly SealedBatch[]>
  /** False when the same batch was there already. */
  appendBatch(caller: TeamCaller, batch: SealedBatch): Promise<boolean>
  listReads(caller: TeamCaller, limit: number): Promise<readonly TeamRead[]>
  sumUsage(caller: TeamCaller): Promise<number>
  listDocuments(caller: TeamCaller, prefix: string): Promise<readonly ListedDocument[]>
  readDocument(caller: TeamCaller, name: string): Promise<Uint8Array | undefined>
  writeDocument(caller: TeamCaller, name: string, bytes: Uint8Array): Promise<void>
  /** Throws when the schema is not the one of this version any more, or is not protected. */
  checkSchema(): Promise<void>
}

interface BatchRow {
  readonly repository: string
  readonly machine: string
  readonly person: string
  readonly audience: string
  readonly first: number
  readonly last: number
  readonly bytes: Uint8Array
}

const toBatch = ({ person, audience, bytes, ...row }: BatchRow): SealedBatch => ({
  repository: row.repository,
  machine: row.machine,
  principal: person,
  audience: audience === 'team' ? 'team' : 'me',
  first: row.first,
  last: row.last,
  // Without the pool's slack behind it.
  bytes: Uint8Array.from(bytes),
})

function areSame(left: SealedBatch, right: SealedBatch): boolean {
  const isSameRange = left.first === right.first && left.last === right.last && left.audience === right.audience
  return isSameRange && Buffer.compare(left.bytes, right.bytes) === 0
}

const MAX_BATCHES_IN_ANSWER = 256

export function toPrincipal({ team, person, machine, role }: TeamCaller) {
  return { team, person, machine, role }
}

function refuseForeign(caller: TeamCaller, batch: SealedBatch): void {
  const isOwn = batch.machine === caller.machine && batch.principal === caller.person
  if (!isOwn) {
    throw new HoldfastError('forbidden', 'A machine can only append to its own logs.', {
      hint: `This key belongs to machine ${caller.machine} of ${caller.person}.`,
    })
  }
  if (mayDo(caller.role, batch.audience === 'team' ? 'share' : 'exchange')) return
  throw new HoldfastError('forbidden', `The role ${caller.role} cannot share with the team.`, {
    hint: 'An admin changes it with `holdfast team role <person> member`.',
  })
}

/** Each front sums the stored bytes of a person at most once in this time, and adds to the sum in between. */
const USAGE_MS = 60_000

interface Usage {
  bytes: number
  readonly quotaBytes: number
  readonly untilMs: number
}

interface StoreParts {
  readonly directory: TeamPool
  readonly shards: readonly TeamPool[]
  readonly clock: Pick<Clock, 'monotonicMs'>
}

function createTeamStore({ directory, shards, clock }: StoreParts): TeamStore {
  const usages = new Map<string, Usage>()

  function shardOf(repository: string): TeamPool {
    return shards[findShard(repository, shards.length)] ?? directory
  }

  async function sumUsage(caller: TeamCaller): Promise<number> {
    const sums = await Promise.all(
      shards.map((shard) =>
        shard.transact(toPrincipal(caller), (transaction) =>
          transaction.run<{ bytes: number }>(TEAM_QUERIES.sumUsage, { team: caller.team, person: caller.person }),
        ),
      ),
    )
    return sums.flat().reduce((sum, { bytes }) => sum + bytes, 0)
  }

  async function findUsage(caller: TeamCaller): Promise<Usage> {
    const key = `${caller.team} ${caller.person}`
    const known = usages.get(key)
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known
    const [team] = await directory.transact(toPrincipal(caller), (transaction) =>
      transaction.run<{ quota_bytes: number }>(TEAM_QUERIES.readTeam, { team: caller.team }),
    )
    const usage = {
      bytes: await sumUsage(caller),
      quotaBytes: team?.quota_bytes ?? 0,
      untilMs: clock.monotonicMs() + USAGE_MS,
    }
    if (usages.size > 10_000) usages.clear()
    usages.set(key, usage)
    return usage
  }

  /** Who reads another person's batches is stored in the same transaction as the read. */
  async function noteReads(transaction: TeamTransaction, caller: TeamCaller, batches: readonly SealedBatch[]) {
    const foreign = batches.filter(({ principal }) => principal !== caller.person)
    const [first] = foreign
    const last = foreign.at(-1)
    if (first === undefined || last === undefined) return
    await transaction.run(TEAM_QUERIES.noteRead, {
      repository: first.repository,
      team: caller.team,
      machine: first.machine,
      reader: caller.person,
      person: first.principal,
      first: first.first,
      last: last.last,
    })
  }

  async function explainConflict(transaction: TeamTransaction, caller: TeamCaller, batch: SealedBatch): Promise<false> {
    const place = { repository: batch.repository, team: caller.team, machine: batch.machine }
    const [known] = await transaction.run<BatchRow>(TEAM_QUERIES.findBatch, { ...place, first: batch.first })
    if (known !== undefined && areSame(toBatch(known), batch)) return false
    const [tip] = await transaction.run<{ head: number }>(TEAM_QUERIES.findHead, place)
    const head = tip?.head ?? 0
    throw new HoldfastError(
      'conflict',
      known === undefined && batch.first > head
        ? `The log ends at record ${head}; a batch that begins at ${batch.first} would leave a gap.`
        : `The log has other records at ${batch.first}; it ends at ${head}.`,
    )
  }

  return {
    directory,
    shards,
    sumUsage,

    async findCaller(keyHash) {
      const [row] = await directory.runAtOnce<{ team: string; person: string; machine: string; role: string }>(
        { key: keyHash },
        TEAM_QUERIES.findKey,
        { keyHash },
      )
      if (row === undefined || !isCallerRole(row.role)) return undefined
      return { team: row.team, person: row.person, machine: row.machine, role: row.role }
    },

    async listLogs(caller, repositories) {
      const { team, machine } = caller
      const wanted =
        repositories === undefined ? shards.map((shard) => ({ shard, repositories })) : splitByShard(repositories)
      await directory.transact(toPrincipal(caller), (transaction) =>
        transaction.run(TEAM_QUERIES.markSeen, { team, machine }),
      )
      const found = await Promise.all(
        wanted.map(({ shard, repositories: some }) =>
          shard.transact(toPrincipal(caller), (transaction) =>
            some === undefined
              ? transaction.run<SyncLog>(TEAM_QUERIES.listLogs, { team })
              : transaction.run<SyncLog>(TEAM_QUERIES.listLogsOf, { team, repositories: some }),
          ),
        ),
      )
      return found.flat()
    },

    readBatches(caller, { repository, machine, after, maxBytes }) {
      return shardOf(repository).transact(toPrincipal(caller), async (transaction) => {
        const rows = await transaction.run<BatchRow>(TEAM_QUERIES.readBatches, {
          repository,
          team: caller.team,
          machine,
          after,
          maxBytes,
          limit: MAX_BATCHES_IN_ANSWER,
        })
        const batches = rows.map(toBatch)
        await noteReads(transaction, caller, batches)
        return batches
      })
    },

    async appendBatch(caller, batch) {
      refuseForeign(caller, batch)
      const usage = await findUsage(caller)
      if (usage.bytes + batch.bytes.length > usage.quotaBytes) {
        throw new HoldfastError(
          'too-large',
          `The quota of ${usage.quotaBytes} bytes for ${caller.person} is used up.`,
          {
            hint: 'Everything stays on this machine. An administrator of the database raises the quota (docs/team.md).',
          },
        )
      }
      const isNew = await shardOf(batch.repository).transact(toPrincipal(caller), async (transaction) => {
        const stored = await transaction.run(TEAM_QUERIES.appendBatch, {
          repository: batch.repository,
          team: caller.team,
          machine: batch.machine,
          person: batch.principal,
          audience: batch.audience,
          first: batch.first,
          last: batch.last,
          size: batch.bytes.length,
          bytes: batch.bytes,
        })
        return stored.length > 0 || explainConflict(transaction, caller, batch)
      })
      if (isNew) usage.bytes += batch.bytes.length
      return isNew
    },

    async listReads(caller, limit) {
      const found = await Promise.all(
        shards.map((shard) =>
          shard.transact(toPrincipal(caller), (transaction) =>
            transaction.run<Omit<TeamRead, 'owner'> & { person: string }>(TEAM_QUERIES.listReads, {
              team: caller.team,
              limit,
            }),
          ),
        ),
      )
      return found
        .flat()
        .map(({ person, ...read }) => ({ ...read, owner: person }))
        .toSorted((left, right) => (left.day < right.day ? 1 : -1))
        .slice(0, limit)
    },

    async listDocuments(caller, prefix) {
      return directory.transact(toPrincipal(caller), (transaction) =>
        transaction.run<ListedDocument>(TEAM_QUERIES.listDocuments, { team: caller.team, prefix }),
      )
    },

    async readDocument(caller, name) {
      const [row] = await directory.transact(toPrincipal(caller), (transaction) =>
        transaction.run<{ bytes: Uint8Array }>(TEAM_QUERIES.readDocument, { team: caller.team, name }),
      )
      return row === undefined ? undefined : Uint8Array.from(row.bytes)
    },

    async writeDocument(caller, name, bytes) {
      const { team, person, machine } = caller
      await directory.transact(toPrincipal(caller), (transaction) =>
        transaction.run(TEAM_QUERIES.writeDocument, { team, name, person, machine, bytes }),
      )
    },

    async checkSchema() {
      await Promise.all(
        shards.map(async (shard) => {
          await checkTeamSchema(shard)
          await checkProtection(shard)
        }),
      )
    },

    async [Symbol.asyncDispose]() {
      await Promise.all(shards.map((shard) => shard[Symbol.asyncDispose]()))
    },
  }

  function splitByShard(repositories: readonly string[]) {
    return shards
      .map((shard, index) => ({
        shard,
        repositories: repositories.filter((repository) => findShard(repository, shards.length) === index),
      }))
      .filter(({ repositories: some }) => some.length > 0)
  }
}

export interface OpenTeamStoreOptions {
  /** The first one also holds people, keys and documents. */
  readonly urls: readonly string[]
  /** At most so many for each store. */
  readonly connections: number
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log?: Log
}

/** Connects, migrates, and refuses a store that is not protected. */
export async function openTeamStore({ urls, connections, clock, log }: OpenTeamStoreOptions): Promise<TeamStore> {
  const shards = urls.map((url) => new TeamPool({ url, connections, ...(log !== undefined && { log }) }))
  const [directory] = shards
  if (directory === undefined) throw new HoldfastError('invalid-input', 'A team server needs a `--store`.')
  try {
    for (const shard of shards) {
      await migrateTeamStore(shard)
      await checkProtection(shard)
      await shard.ensureDurable()
    }
    await claimShards(shards)
    return createTeamStore({ directory, shards, clock })
  } catch (thrown) {
    await Promise.all(shards.map((shard) => shard[Symbol.asyncDispose]()))
    throw thrown
  }
}
