import { getSessionId, type SessionEvent } from '../../kernel/event.ts'
import { MemoryId, type ProjectId, type SessionId } from '../../kernel/id.ts'
import { listKeyParts } from '../../kernel/ports/record-store.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import {
  isOwnOrigin,
  isOwnSession,
  toLocationRecord,
  toMemoryRecord,
  toReceivedSession,
  toRecordedSession,
  toRuleRecord,
  withoutOwnOrigin,
} from './own-records.ts'
import type { ChangingRecord, RecordedDeletion } from './record.ts'

interface ReceivedItems {
  /** The stored version of the record. */
  findCurrent(record: ChangingRecord): Promise<ChangingRecord | undefined>
  /** Whether this home may have changed it since it was exchanged. Only its own machine changes a session or a location. */
  isOwn(record: ChangingRecord): Promise<boolean>
  /** Stores the record in place of the stored version. */
  apply(record: ChangingRecord): Promise<void>
  getSessionId(event: SessionEvent): SessionId
}

export function createReceivedItems(ports: ContinuityPorts): ReceivedItems {
  const { store, sha256 } = ports

  async function findMemory(id: MemoryId): Promise<ChangingRecord | undefined> {
    const stored = await store.findMemory(id)
    if (stored !== undefined) return toMemoryRecord(stored, ports)
    const draft = await store.findDraft(id)
    return draft?.state === 'proposed' ? toMemoryRecord({ ...draft.memory, isProposed: true }, ports) : undefined
  }

  async function findEntity({ id, projectId }: RecordedDeletion) {
    const entities = projectId === undefined ? [] : await store.listOwnEntities(projectId)
    return entities.find((entity) => sha256(listKeyParts(entity)) === id)
  }

  async function findLocation(projectId: ProjectId | undefined, id: string) {
    const locations = projectId === undefined ? [] : await store.listLocations({ projectId })
    return locations.find((location) => sha256(listKeyParts(location)) === id)
  }

  async function findDeleted(deletion: RecordedDeletion): Promise<ChangingRecord | undefined> {
    switch (deletion.of) {
      case 'memory':
        return findMemory(MemoryId(deletion.id))
      case 'entity': {
        const value = await findEntity(deletion)
        return value === undefined ? undefined : { kind: 'entity', value }
      }
      case 'location': {
        const found = await findLocation(deletion.projectId, deletion.id)
        return found === undefined ? undefined : toLocationRecord(found, ports)
      }
      case 'checkpoint':
      case 'session':
      case 'labels':
      case 'rule':
      case 'intent':
        return undefined
    }
  }

  async function applyDeletion(deletion: RecordedDeletion): Promise<void> {
    switch (deletion.of) {
      case 'memory': {
        const id = MemoryId(deletion.id)
        const memory = await store.findMemory(id)
        // It can be restored here for a week, as if it had been forgotten here.
        if (memory === undefined) await store.deleteDraft(id)
        else await store.saveDraft({ state: 'forgotten', at: ports.clock.now(), memory })
        await store.deleteMemory(id)
        return
      }
      case 'entity': {
        const entity = await findEntity(deletion)
        if (entity !== undefined) await store.deleteEntities(entity)
        return
      }
      case 'location': {
        const location = await findLocation(deletion.projectId, deletion.id)
        if (location !== undefined) await store.deleteLocation(location)
        return
      }
      case 'checkpoint':
      case 'session':
      case 'labels':
      case 'rule':
      case 'intent':
    }
  }

  return {
    getSessionId,

    async findCurrent(record) {
      switch (record.kind) {
        case 'location': {
          const found = await findLocation(record.value.projectId, sha256(listKeyParts(record.value)))
          return found === undefined ? undefined : toLocationRecord(found, ports)
        }
        case 'session': {
          const session = await store.findSession(record.value.id)
          return session === undefined ? undefined : { kind: 'session', value: toRecordedSession(session, ports) }
        }
        case 'labels': {
          const { sessionId } = record.value
          const labels = (await store.findSession(sessionId))?.labels
          return labels === undefined ? undefined : { kind: 'labels', value: { sessionId, labels } }
        }
        case 'memory':
          return findMemory(record.value.id)
        case 'rule': {
          const rule = await store.findRule(record.value.id)
          return rule === undefined ? undefined : toRuleRecord(rule, ports)
        }
        case 'entity': {
          const value = await store.findEntity(record.value)
          return value === undefined ? undefined : { kind: 'entity', value }
        }
        case 'intent': {
          const value = await store.findIntent(record.value.id)
          return value === undefined ? undefined : { kind: 'intent', value }
        }
        case 'deletion':
          return findDeleted(record.value)
      }
    },

    async isOwn(record) {
      switch (record.kind) {
        case 'location':
          return isOwnOrigin(record.value.origin, ports)
        case 'session': {
          const session = await store.findSession(record.value.id)
          return session === undefined ? isOwnOrigin(record.value.origin, ports) : isOwnSession(session, ports)
        }
        case 'labels':
          // Kept until their session arrives.
          return (await store.findSession(record.value.sessionId)) !== undefined
        case 'memory':
        case 'rule':
        case 'entity':
        case 'intent':
        case 'deletion':
          return true
      }
    },

    async apply(record) {
      switch (record.kind) {
        case 'location':
          return store.saveLocation(withoutOwnOrigin(record.value, ports))
        case 'session':
          return store.saveReceivedSession(toReceivedSession(record.value, ports))
        case 'labels':
          await store.saveLabels(record.value.sessionId, record.value.labels)
          return
        case 'memory': {
          const { isProposed, ...memory } = withoutOwnOrigin(record.value, ports)
          if (isProposed === true) return store.saveDraft({ state: 'proposed', at: memory.createdAt, memory })
          const { hits = 0, lastHitAt } = (await store.findMemory(memory.id)) ?? {}
          await store.replaceMemory({ ...memory, hits, lastHitAt })
          await store.deleteDraft(memory.id)
          return
        }
        case 'rule':
          return store.saveRules([withoutOwnOrigin(record.value, ports)])
        case 'entity':
          return store.saveEntity(record.value)
        case 'intent':
          return store.saveReceivedIntent(record.value)
        case 'deletion':
          return applyDeletion(record.value)
      }
    },
  }
}
