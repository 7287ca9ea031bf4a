import { getSessionId } from '../kernel/event.ts'
import { MemoryId, type SessionId } from '../kernel/id.ts'
import type { Origin } from '../kernel/location.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import { getOwnOrigin } from '../transfer/records/own-records.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import type { RecordSource } from './replica.ts'
import { RefusedBatch } from './sealing.ts'

/** In a shared store, the id of a machine is followed by that of the container. */
function isMachine(id: string | undefined, { machine }: RecordSource): boolean {
  return id === machine.id || id?.startsWith(`${machine.id}.`) === true
}

/** Whether the record says that the sender wrote it. Of one person, each machine may change what the others wrote. */
function isInOwnName(record: DataRecord, source: RecordSource): boolean {
  const isByPerson = (origin: Origin | undefined) => origin?.principal === source.principal
  const isByMachine = (origin: Origin | undefined) => isByPerson(origin) && isMachine(origin?.machine.id, source)
  switch (record.kind) {
    case 'machine':
      return isMachine(record.value.id, source) && record.value.person.id === source.principal
    case 'tombstone':
      return isMachine(record.value.machine, source) && record.value.principal === source.principal
    case 'session':
      return isByMachine(record.value.origin)
    case 'location':
      return isByMachine(record.value.origin) && isMachine(record.value.machineId, source)
    case 'event':
      return isMachine(record.value.machine?.id, source)
    case 'memory':
      return isByPerson(record.value.origin) && (source.audience === 'me' || record.value.scope === 'team')
    case 'rule':
      return isByPerson(record.value.origin) && source.audience === 'me'
    case 'summary':
    case 'entity':
    case 'intent':
      // They name no author, so that they travel between the machines of one person only.
      return source.audience === 'me'
    case 'labels':
    case 'checkpoint':
    case 'deletion':
      return true
  }
}

export interface Authorship {
  /** The records that may be stored. Throws a `RefusedBatch` if one is in the name of another person. */
  checkRecords(records: readonly DataRecord[], source: RecordSource): Promise<readonly DataRecord[]>
}

/** Compares the author of each record, and the author of what it would change here, with the member who signed the batch. */
export function createAuthorship(ports: ContinuityPorts): Authorship {
  const { store } = ports
  const ofStored = (origin: Origin | undefined): Origin => origin ?? getOwnOrigin(ports)
  const ofSession = ({ origin, machine }: Session): Origin => origin ?? getOwnOrigin(ports, machine)

  async function isSessionOf(id: SessionId, source: RecordSource): Promise<boolean> {
    const session = await store.findSession(id)
    return session === undefined || isMachine(ofSession(session).machine.id, source)
  }

  async function mayChange(record: DataRecord, source: RecordSource): Promise<boolean> {
    switch (record.kind) {
      case 'event':
        return isSessionOf(getSessionId(record.value.event), source)
      case 'session':
        return isSessionOf(record.value.id, source)
      case 'checkpoint':
        return isSessionOf(record.value.sessionId, source)
      case 'labels': {
        const session = await store.findSession(record.value.sessionId)
        if (session === undefined) return true
        const { principal, machine } = ofSession(session)
        return source.audience === 'me' ? principal === source.principal : isMachine(machine.id, source)
      }
      case 'memory': {
        const memory = await store.findMemory(record.value.id)
        return memory === undefined || ofStored(memory.origin).principal === source.principal
      }
      case 'rule': {
        const rule = await store.findRule(record.value.id)
        return rule === undefined || ofStored(rule.origin).principal === source.principal
      }
      case 'machine':
      case 'tombstone':
      case 'location':
      case 'summary':
      case 'entity':
      case 'intent':
      case 'deletion':
        return true
    }
  }

  /** A deletion names no author: it deletes what the sender's person wrote, and nothing else. */
  async function isUsed(record: DataRecord, { audience, principal }: RecordSource): Promise<boolean> {
    if (record.kind !== 'deletion') return true
    if (record.value.of !== 'memory') return audience === 'me'
    // What a person stopped sharing is still on that person's own machines.
    if (audience === 'team' && principal === ports.person.id) return false
    const memory = await store.findMemory(MemoryId(record.value.id))
    return memory === undefined || ofStored(memory.origin).principal === principal
  }

  return {
    async checkRecords(records, source) {
      const used: DataRecord[] = []
      for (const record of records) {
        if (!isInOwnName(record, source) || !(await mayChange(record, source))) throw new RefusedBatch('author')
        if (await isUsed(record, source)) used.push(record)
      }
      return used
    },
  }
}
