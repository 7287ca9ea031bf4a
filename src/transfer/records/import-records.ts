import { HoldfastError } from '../../kernel/errors.ts'
import { CheckpointId, type SessionId } from '../../kernel/id.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import { DELETED, type KnownMachine } from '../../kernel/ports/record-store.ts'
import type { Announce, ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { createReceivedErasures, type SkippedErasures } from './received-erasures.ts'
import { createReceivedItems } from './received-items.ts'
import { toReceivedSession } from './own-records.ts'
import type { ChangingRecord, DataRecord, RecordedDeletion, RecordedEvent } from './record.ts'
import { isChanging, readRecordedLabels, readRecordedSession, redactRecord } from './redact-record.ts'
import { findVersion, hashRecord, identifyRecord, isReplacedBy } from './versions.ts'

export interface RecordImportAnswer {
  readonly stored: number
  /** Known, or older than what is known: nothing was changed. */
  readonly known: number
  /** Were erased, here or elsewhere: not stored again. */
  readonly refused: number
  /** Other people whose records are among these. */
  readonly authors: readonly KnownMachine['person'][]
  /** Machines that were not known before, and say that they are this person's. */
  readonly newMachines: readonly Pick<KnownMachine, 'id' | 'name'>[]
  /** Erasures that were not applied. Absent: none. */
  readonly skippedErasures?: SkippedErasures
}

export interface RecordImport {
  /**
   * Stores records of an export or another machine. Their order and repetitions change nothing. Erases only what a machine
   * erased that was known before as that person's, unless `acceptErasures` says otherwise.
   */
  importRecords(input: {
    readonly records: readonly DataRecord[]
    readonly acceptErasures?: boolean
  }): Promise<RecordImportAnswer>
}

type Outcome = 'stored' | 'known' | 'refused'

/** Kind and id of what must not be erased for the record to be stored. */
function listErasable(record: DataRecord): readonly string[] {
  switch (record.kind) {
    case 'event':
      return [`session\n${record.value.event.harness}/${record.value.event.sessionKey}`]
    case 'checkpoint':
      return [`session\n${record.value.sessionId}`]
    case 'session':
      return [`session\n${record.value.id}`]
    case 'labels':
      return [`session\n${record.value.sessionId}`]
    case 'memory':
    case 'rule':
    case 'intent':
    case 'summary': {
      const { sessionId } = record.value
      return [`${record.kind}\n${record.value.id}`, ...(sessionId === undefined ? [] : [`session\n${sessionId}`])]
    }
    case 'deletion':
      return [`${record.value.of}\n${record.value.id}`]
    case 'location':
    case 'entity':
    case 'machine':
    case 'tombstone':
      return []
  }
}

export function createRecordImport(ports: ContinuityPorts, announce: Announce): RecordImport {
  const { store, machine, sha256 } = ports
  const items = createReceivedItems(ports)

  async function findRefused(records: readonly DataRecord[]): Promise<ReadonlySet<DataRecord>> {
    const digests = new Map(records.map((record) => [record, listErasable(record).map(sha256)]))
    const erased = new Set(await store.findErased([...new Set([...digests.values()].flat())]))
    return new Set(records.filter((record) => digests.get(record)?.some((digest) => erased.has(digest)) === true))
  }

  /** Returns how many were new. */
  async function storeEvents(events: readonly RecordedEvent[]): Promise<number> {
    const { continuity } = await ports.configFor(undefined)
    const entries = events.map(({ event, place, machine: at }) => ({ event, location: place, machine: at }))
    return (await store.append(entries, continuity)).filter(({ isNew }) => isNew).length
  }

  async function storeMachine(received: KnownMachine): Promise<Outcome> {
    if (received.id === machine.id) return 'known'
    const known = (await store.listMachines()).find(({ id }) => id === received.id)
    const isOtherKey = known?.publicKey !== undefined && received.publicKey !== known.publicKey
    if (isOtherKey || (known !== undefined && canonicalJson(known) >= canonicalJson(received))) return 'known'
    await store.saveMachine(received)
    return 'stored'
  }

  async function storeChanging(record: ChangingRecord, redactor: Redactor): Promise<Outcome> {
    const key = identifyRecord(record, sha256)
    const hash = hashRecord(record, sha256)
    const current = await items.findCurrent(record)
    const currentHash = current === undefined ? undefined : hashRecord(redactRecord(current, redactor), sha256)
    const [noted] = await store.findVersions(key.kind, [key.id])
    const isOwn = await items.isOwn(record)
    // Of what belongs to another home we have what we were given, whatever was derived from it here.
    const known = isOwn ? findVersion(noted, currentHash, machine.id) : noted
    if (isOwn && record.kind === 'session' && current !== undefined) return 'known'
    const isMissing = currentHash === undefined && known?.hash === hash && hash !== DELETED
    if (!isMissing && !isReplacedBy(known, hash, record.version)) return 'known'
    const body = record.kind === 'session' || record.kind === 'labels' ? canonicalJson(record.value) : undefined
    const isChanged = record.kind === 'deletion' ? current !== undefined : currentHash !== hash
    if (isChanged) await items.apply(record)
    if (record.version !== undefined) await store.saveVersions([{ ...key, ...record.version, hash, body }])
    return isChanged || known === undefined ? 'stored' : 'known'
  }

  /** A checkpoint has one content, and its deletion is final. */
  async function deleteCheckpoint({ id, projectId }: RecordedDeletion): Promise<Outcome> {
    const [noted] = await store.findVersions('checkpoint', [id])
    if (noted !== undefined) return 'known'
    await store.deleteCheckpoint(CheckpointId(id))
    await store.saveVersions([{ kind: 'checkpoint', id, projectId, count: 1, machine: '', hash: DELETED }])
    return 'stored'
  }

  /** What never changes. */
  async function storeFixed(
    record: Exclude<DataRecord, ChangingRecord | { kind: 'event' | 'tombstone' }>,
  ): Promise<Outcome> {
    switch (record.kind) {
      case 'machine':
        return storeMachine(record.value)
      case 'checkpoint': {
        const { id } = record.value
        const [noted] = await store.findVersions('checkpoint', [id])
        if (noted?.hash === DELETED || (await store.findCheckpoint(id)) !== undefined) return 'known'
        await store.saveCheckpoint(record.value)
        return 'stored'
      }
      case 'summary':
        if ((await store.findSummary(record.value.id)) !== undefined) return 'known'
        await store.saveSummary(record.value)
        return 'stored'
    }
  }

  /** Their events may have arrived after what their own machine said of them: that is what is true. */
  async function restoreSessions(ids: ReadonlySet<SessionId>): Promise<void> {
    const [sessions, labels] = await Promise.all([
      store.findVersions('session', [...ids]),
      store.findVersions('labels', [...ids]),
    ])
    for (const { body } of sessions)
      if (body !== undefined) await store.saveReceivedSession(toReceivedSession(readRecordedSession(body), ports))
    for (const { body } of labels) {
      const recorded = body === undefined ? undefined : readRecordedLabels(body)
      if (recorded !== undefined) await store.saveLabels(recorded.sessionId, recorded.labels)
    }
  }

  async function storeRecord(
    record: Exclude<DataRecord, { readonly kind: 'event' | 'tombstone' }>,
    redactor: Redactor,
  ): Promise<Outcome> {
    try {
      if (record.kind === 'deletion' && record.value.of === 'checkpoint') return await deleteCheckpoint(record.value)
      return isChanging(record) ? await storeChanging(record, redactor) : await storeFixed(record)
    } catch (cause) {
      if (cause instanceof HoldfastError && cause.code === 'conflict') return 'known'
      throw cause
    }
  }

  return {
    async importRecords({ records: given, acceptErasures = false }) {
      const redactor = await ports.redactors.forWorktree(undefined)
      const records = given.map((record) => redactRecord(record, redactor))
      const counts = { stored: 0, known: 0, refused: 0 }
      // Before its other records: a machine that they name does not become known by them.
      const before = await store.listMachines()
      const erasures = createReceivedErasures(ports, before, acceptErasures)
      for (const record of records) if (record.kind === 'tombstone') await erasures.add(record.value)
      counts.stored += erasures.count('stored')
      counts.known += erasures.count('known')
      const refused = await findRefused(records)
      counts.refused = refused.size
      const accepted = records.filter((record) => !refused.has(record))
      // Events of one request are one transaction, wherever they are in it: they depend on nothing else.
      const events = accepted.flatMap((record) => (record.kind === 'event' ? [record.value] : []))
      const touched = new Set(events.map(({ event }) => items.getSessionId(event)))
      const added = events.length === 0 ? 0 : await storeEvents(events)
      counts.stored += added
      counts.known += events.length - added
      for (const record of accepted) {
        if (record.kind === 'event' || record.kind === 'tombstone') continue
        const outcome = await storeRecord(record, redactor)
        counts[outcome] += 1
        if (record.kind === 'session' && outcome === 'stored') touched.add(record.value.id)
      }
      if (touched.size > 0) await restoreSessions(touched)
      if (counts.stored > 0) announce({ seq: await store.lastSeq(), kind: 'memory', detail: 'imported' })
      const machines = records.flatMap((record) => (record.kind === 'machine' ? [record.value] : []))
      const others = machines.map(({ person }) => person).filter(({ id }) => id !== ports.person.id)
      const isNew = ({ id, person }: KnownMachine) =>
        person.id === ports.person.id && id !== machine.id && !before.some((known) => known.id === id)
      return {
        ...counts,
        authors: [...new Map(others.map((person) => [person.id, person])).values()],
        newMachines: machines.filter(isNew).map(({ id, name }) => ({ id, name })),
        ...(erasures.skipped !== undefined && { skippedErasures: erasures.skipped }),
      }
    },
  }
}
