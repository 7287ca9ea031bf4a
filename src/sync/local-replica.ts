import { ME_PROJECT, ProjectId } from '../kernel/id.ts'
import { asObject, asText } from '../kernel/json-shape.ts'
import type { KnownLocation, MachineRef } from '../kernel/location.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { SyncAudience } from '../kernel/ports/sync-transport.ts'
import type { Session } from '../kernel/session.ts'
import type { ThingList } from '../transfer/records/export-records.ts'
import type { RecordImport } from '../transfer/records/import-records.ts'
import { isOwnOrigin, isOwnSession, toLocationRecord } from '../transfer/records/own-records.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import { createAuthorship } from './authorship.ts'
import { createLocalHistory } from './local-history.ts'
import type { RoutedRecord } from './record.ts'
import type { Replica } from './replica.ts'

const RECORDS_AT_ONCE = 200
const NO_TIME = '1970-01-01T00:00:00.000Z'

function findProject({ value }: DataRecord): ProjectId | undefined {
  const { projectId, place } = asObject(value)
  const id = asText(projectId) ?? asText(asObject(place)['projectId'])
  return id === undefined ? undefined : ProjectId(id)
}

type RecordListing = RecordImport & ThingList

/** The log for what belongs to no repository. */
function getCommonLog(audience: SyncAudience, principal: string): string {
  return audience === 'me' ? `me\n${principal}` : 'team'
}

/** The store of this home, as exchanges see it. */
export function createLocalReplica(ports: ContinuityPorts, transfer: RecordListing): Replica {
  const { store, machine, person, sha256 } = ports
  const ref: MachineRef = { id: machine.hostId, name: machine.name }
  const history = createLocalHistory(ports)
  const authorship = createAuthorship(ports)

  /** An opaque key, the same on every machine that has a clone. */
  function toRepository(
    projectId: ProjectId | undefined,
    locations: readonly KnownLocation[],
    audience: SyncAudience,
  ): string {
    if (projectId === undefined || projectId === ME_PROJECT) return sha256(getCommonLog(audience, person.id))
    const known = locations.find((location) => location.projectId === projectId && location.rootCommit !== undefined)
    // What is private has logs of its own, in which others see no gaps.
    const reader = audience === 'me' ? `\n${person.id}` : ''
    // Without a root commit nothing says that two folders are the same repository.
    if (known?.rootCommit === undefined) return sha256(`location\n${machine.hostId}\n${projectId}${reader}`)
    return sha256(`repository\n${known.remotes[0] ?? ''}\n${known.rootCommit}${reader}`)
  }

  const isOfPerson = (session: Session | undefined) =>
    session === undefined || (session.origin?.principal ?? person.id) === person.id

  /** Everything, for the machines of this person; what others of this person sent is known to the space. */
  async function isForOwnMachines(record: DataRecord): Promise<boolean> {
    switch (record.kind) {
      case 'machine':
        return record.value.id === machine.id
      case 'tombstone':
        return record.value.machine === machine.id
      case 'location':
        return isOwnOrigin(record.value.origin, ports)
      case 'memory':
      case 'rule':
        return record.value.origin?.principal === person.id
      case 'session':
        return isOwnOrigin(record.value.origin, ports)
      case 'labels':
        return isOfPerson(await store.findSession(record.value.sessionId))
      case 'summary':
      case 'entity':
      case 'intent':
        return true
      case 'deletion':
        return record.version !== undefined
      case 'event':
      case 'checkpoint':
        return false
    }
  }

  /** What identifies the repository of a shared thing, without the path. */
  function toSharedLocation(location: KnownLocation): DataRecord {
    const { projectId, remotes, rootCommit } = location
    const value = {
      // The sender's: the row may have the id that this home had before it was copied or had lost its keys.
      machineId: machine.hostId,
      location: `repository:${projectId}`,
      projectId,
      remotes: remotes.slice(0, 1),
      rootCommit,
    }
    return toLocationRecord({ ...value, commits: [], lastSeenAt: NO_TIME }, ports)
  }

  /** What this person shared, and what was withdrawn. */
  async function toShared(
    records: readonly DataRecord[],
    locations: readonly KnownLocation[],
  ): Promise<readonly { readonly record: DataRecord; readonly isWithdrawal?: boolean }[]> {
    const shared: { readonly record: DataRecord; readonly isWithdrawal?: boolean }[] = []
    const sharedSessions = new Set(
      records.flatMap((record) =>
        record.kind === 'labels' && record.value.labels.isShared === true ? [record.value.sessionId] : [],
      ),
    )
    for (const record of records) {
      switch (record.kind) {
        case 'machine':
        case 'tombstone':
          if (await isForOwnMachines(record)) shared.push({ record })
          break
        case 'memory': {
          const { id, projectId, origin, scope } = record.value
          // Also what was written on another machine of this person, which may not have this space.
          if ((origin?.principal ?? person.id) !== person.id) break
          if (scope === 'team') shared.push({ record })
          else
            shared.push({
              record: { kind: 'deletion', value: { of: 'memory', id, projectId }, version: record.version },
              isWithdrawal: true,
            })
          break
        }
        case 'deletion':
          if (record.value.of === 'memory' && record.version !== undefined) shared.push({ record, isWithdrawal: true })
          break
        case 'session':
          if (isOwnOrigin(record.value.origin, ports) && sharedSessions.has(record.value.id)) shared.push({ record })
          break
        case 'labels': {
          const session = await store.findSession(record.value.sessionId)
          if (session === undefined || !isOwnSession(session, ports)) break
          const isShared = sharedSessions.has(session.id)
          shared.push({ record, ...(!isShared && { isWithdrawal: true }) })
          if (isShared) for (const one of await history.listSharedHistory(session.id)) shared.push({ record: one })
          break
        }
        case 'location':
        case 'rule':
        case 'summary':
        case 'entity':
        case 'intent':
        case 'event':
        case 'checkpoint':
      }
    }
    // Who shares nothing says nothing.
    const isSharing = shared.some(
      ({ record: { kind }, isWithdrawal }) => !isWithdrawal && kind !== 'machine' && kind !== 'tombstone',
    )
    if (!isSharing) return shared.filter(({ isWithdrawal }) => isWithdrawal)
    const projects = new Set(shared.flatMap(({ record }) => findProject(record) ?? []))
    const named = new Map(
      locations
        .filter(({ projectId, rootCommit, origin }) => projects.has(projectId) && rootCommit !== undefined && !origin)
        .map((location) => [location.projectId, toSharedLocation(location)]),
    )
    // First: what follows belongs to these repositories.
    return [...[...named.values()].map((record) => ({ record })), ...shared]
  }

  return {
    machine: ref,
    async listThings(audience) {
      const records = await transfer.listThings()
      const locations = await store.listLocations({})
      const chosen: { readonly record: DataRecord; readonly isWithdrawal?: boolean }[] = []
      if (audience === 'team') chosen.push(...(await toShared(records, locations)))
      else for (const record of records) if (await isForOwnMachines(record)) chosen.push({ record })
      return chosen.map(
        (one): RoutedRecord => ({ ...one, repository: toRepository(findProject(one.record), locations, audience) }),
      )
    },
    async readHistory(after) {
      const locations = await store.listLocations({})
      return history.readHistory(after, (record) => toRepository(findProject(record), locations, 'me'))
    },
    async storeRecords(records, source) {
      const accepted = await authorship.checkRecords(records, source)
      for (let from = 0; from < accepted.length; from += RECORDS_AT_ONCE)
        await transfer.importRecords({
          records: accepted.slice(from, from + RECORDS_AT_ONCE),
          // The exchange verified who wrote each record.
          acceptErasures: true,
        })
    },
  }
}
