import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import { getSessionId, type SessionEvent } from '../kernel/event.ts'
import { ME_PROJECT, ProjectId, type SessionId } from '../kernel/id.ts'
import { asObject, asText } from '../kernel/json-shape.ts'
import type { KnownLocation, MachineRef } from '../kernel/location.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { SyncAudience } from '../kernel/ports/sync-transport.ts'
import type { Session } from '../kernel/session.ts'
import { redactCheckpoint } from '../redaction/redact-checkpoint.ts'
import { redactDeep } from '../redaction/redact-deep.ts'
import { redactEvent } from '../redaction/redact-event.ts'
import type { ThingList } from '../transfer/records/export-records.ts'
import type { RecordImport } from '../transfer/records/import-records.ts'
import { isOwnOrigin, isOwnSession, toLocationRecord } from '../transfer/records/own-records.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import { createAuthorship } from './authorship.ts'
import type { RoutedRecord } from './record.ts'
import type { Replica } from './replica.ts'

const EVENTS_PER_PAGE = 300
const HEADS_PER_PAGE = 500
const CHECKPOINTS_OF_SHARED = 200
const RECORDS_AT_ONCE = 200
const NO_TIME = '1970-01-01T00:00:00.000Z'

/** Without what is true on this machine only: processes, and paths of files that others do not have. */
function toPortableEvent(event: SessionEvent): SessionEvent {
  const { process: _process, transcriptPath: _transcriptPath, cwd: _cwd, ...portable } = event
  return portable
}

function toPortableCheckpoint({ checkpoint }: StoredCheckpoint): StoredCheckpoint['checkpoint'] {
  const { work } = checkpoint
  const inFlight = work.inFlight?.map(({ pid: _pid, port: _port, ...what }) => what)
  return { ...checkpoint, work: { ...work, ...(inFlight !== undefined && { inFlight }) } }
}

function findProject({ value }: DataRecord): ProjectId | undefined {
  const { projectId, place } = asObject(value)
  const id = asText(projectId) ?? asText(asObject(place)['projectId'])
  return id === undefined ? undefined : ProjectId(id)
}

/** Without versions: those who get it compare it with what they have by its content. */
type RecordListing = RecordImport & ThingList

/** The log for what belongs to no repository. */
function getCommonLog(audience: SyncAudience, principal: string): string {
  return audience === 'me' ? `me\n${principal}` : 'team'
}

/** The store of this home, as exchanges see it. */
export function createLocalReplica(ports: ContinuityPorts, transfer: RecordListing): Replica {
  const { store, machine, person, sha256 } = ports
  const ref: MachineRef = { id: machine.hostId, name: machine.name }
  const authorship = createAuthorship(ports)

  /** An opaque key, the same on every machine that has a clone. */
  function toRepository(
    projectId: ProjectId | undefined,
    locations: readonly KnownLocation[],
    audience: SyncAudience,
  ): string {
    if (projectId === undefined || projectId === ME_PROJECT) return sha256(getCommonLog(audience, person.id))
    const known = locations.find((location) => location.projectId === projectId && location.rootCommit !== undefined)
    // Without a root commit nothing says that two folders are the same repository.
    if (known?.rootCommit === undefined) return sha256(`location\n${machine.hostId}\n${projectId}`)
    return sha256(`repository\n${known.remotes[0] ?? ''}\n${known.rootCommit}`)
  }

  const isOwn = (session: Session | undefined) => session === undefined || isOwnSession(session, ports)
  const isOfPerson = (session: Session | undefined) =>
    session === undefined || (session.origin?.principal ?? person.id) === person.id

  async function listNewCheckpoints(afterSeq: number): Promise<readonly number[]> {
    const seqs: number[] = []
    for (let beforeSeq: number | undefined; ; ) {
      const heads = await store.listCheckpointHeads({
        ...(beforeSeq !== undefined && { beforeSeq }),
        limit: HEADS_PER_PAGE,
      })
      const fresh = heads.filter(({ seq }) => seq > afterSeq)
      seqs.push(...fresh.map(({ seq }) => seq))
      if (fresh.length < HEADS_PER_PAGE) return seqs.toReversed()
      beforeSeq = fresh.at(-1)?.seq
    }
  }

  async function readCheckpoint(seq: number): Promise<StoredCheckpoint | undefined> {
    const [found] = await store.listCheckpoints({ beforeSeq: seq + 1, limit: 1 })
    return found?.seq === seq ? found : undefined
  }

  async function toCheckpointRecord(stored: StoredCheckpoint): Promise<DataRecord> {
    const value = toPortableCheckpoint(stored)
    const redactor = await ports.redactors.forWorktree(value.place.worktree)
    return { kind: 'checkpoint', value: redactCheckpoint(value, redactor) }
  }

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

  /** The checkpoints of a session that was shared. Its events stay with the machines of this person. */
  async function listSharedHistory(id: SessionId): Promise<readonly DataRecord[]> {
    const stored = await store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_OF_SHARED })
    const own = stored.filter(({ checkpoint }) => checkpoint.handedOverBy === undefined)
    return Promise.all(own.toReversed().map(toCheckpointRecord))
  }

  /** What identifies the repository of a shared thing, without the path. */
  function toSharedLocation(location: KnownLocation): DataRecord {
    const { projectId, remotes, rootCommit, machineId } = location
    const value = {
      machineId,
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
          if (!isOwnOrigin(origin, ports)) break
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
          if (isShared) for (const one of await listSharedHistory(session.id)) shared.push({ record: one })
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
    async readHistory({ eventSeq, checkpointSeq }) {
      const locations = await store.listLocations({})
      const route = (record: DataRecord): RoutedRecord => ({
        record,
        repository: toRepository(findProject(record), locations, 'me'),
      })
      const sessions = new Map<SessionId, Session | undefined>()
      const getSession = async (id: SessionId) => {
        if (!sessions.has(id)) sessions.set(id, await store.findSession(id))
        return sessions.get(id)
      }
      const lastSeq = await store.lastSeq()
      const events = await store.listEvents({ afterSeq: eventSeq, limit: EVENTS_PER_PAGE })
      const isEnd = events.length < EVENTS_PER_PAGE
      const upTo = isEnd ? Math.max(lastSeq, events.at(-1)?.seq ?? eventSeq) : (events.at(-1)?.seq ?? eventSeq)
      const items: { readonly seq: number; readonly record: RoutedRecord }[] = []
      for (const { seq, event } of events) {
        const session = await getSession(getSessionId(event))
        if (!isOwn(session)) continue
        const place = session?.place
        const redactor = await ports.redactors.forWorktree(place?.worktree)
        const record: DataRecord = {
          kind: 'event',
          value: {
            event: redactEvent(toPortableEvent(event), redactor),
            ...(place !== undefined && { place: redactDeep(place, redactor) }),
            machine: ref,
          },
        }
        items.push({ seq, record: route(record) })
      }
      let lastCheckpoint = checkpointSeq
      for (const seq of await listNewCheckpoints(checkpointSeq)) {
        const stored = await readCheckpoint(seq)
        // A damaged row is not sent.
        if (stored !== undefined && stored.checkpoint.eventSeq > upTo) break
        lastCheckpoint = seq
        if (stored === undefined || stored.checkpoint.handedOverBy !== undefined) continue
        if (!isOwn(await getSession(stored.checkpoint.sessionId))) continue
        // After the events that it is made from.
        const after = stored.checkpoint.eventSeq + 0.5
        items.push({ seq: after, record: route(await toCheckpointRecord(stored)) })
      }
      return {
        records: items.toSorted((one, other) => one.seq - other.seq).map(({ record }) => record),
        cursor: { eventSeq: upTo, checkpointSeq: lastCheckpoint },
        isEnd,
      }
    },
    async storeRecords(records, source) {
      const accepted = await authorship.checkRecords(records, source)
      for (let from = 0; from < accepted.length; from += RECORDS_AT_ONCE)
        await transfer.importRecords({ records: accepted.slice(from, from + RECORDS_AT_ONCE) })
    },
  }
}
