import type { Announce, ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { redactCheckpoint, redactMemory } from '../../redaction/redact-checkpoint.ts'
import { redactDeep } from '../../redaction/redact-deep.ts'
import { redactEvent } from '../../redaction/redact-event.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import type { DataRecord, RecordedEvent } from './record.ts'

export interface RecordImportAnswer {
  readonly stored: number
  /** Known by their id: nothing was changed. */
  readonly known: number
}

export interface RecordImport {
  /** Stores records of an export, in this order. What has a known id is a no-op. */
  importRecords(input: { readonly records: readonly DataRecord[] }): Promise<RecordImportAnswer>
}

export function createRecordImport(ports: ContinuityPorts, announce: Announce): RecordImport {
  const { store } = ports

  /** Returns how many were new. */
  async function storeEvents(events: readonly RecordedEvent[], redactor: Redactor): Promise<number> {
    const { continuity } = await ports.configFor(undefined)
    const entries = events.map(({ event, place, machine }) => ({
      event: redactEvent(event, redactor),
      location: place,
      machine,
    }))
    return (await store.append(entries, continuity)).filter(({ isNew }) => isNew).length
  }

  /** Whether it was new. */
  async function storeRecord(
    record: Exclude<DataRecord, { readonly kind: 'event' }>,
    redactor: Redactor,
  ): Promise<boolean> {
    switch (record.kind) {
      case 'location': {
        const { value } = record
        const rows = await store.listLocations({ location: value.location })
        const isKnown = rows.some((row) => row.projectId === value.projectId && row.machineId === value.machineId)
        if (!isKnown) await store.saveLocation(value)
        return !isKnown
      }
      case 'checkpoint': {
        if ((await store.findCheckpoint(record.value.id)) !== undefined) return false
        await store.saveCheckpoint(redactCheckpoint(record.value, redactor))
        return true
      }
      case 'memory': {
        const { supersedes, ...memory } = redactMemory(record.value, redactor)
        if ((await store.findMemory(memory.id)) !== undefined) return false
        const older = supersedes === undefined ? undefined : await store.findMemory(supersedes)
        // The older one, stored before, names this one already; or it was forgotten.
        if (older === undefined || older.supersededBy !== undefined)
          await store.replaceMemory({ ...memory, ...(supersedes !== undefined && { supersedes }) })
        else await store.saveMemory({ ...memory, supersedes })
        return true
      }
      case 'rule': {
        const { projectId, id } = record.value
        if ((await store.listRules({ projectId })).some((rule) => rule.id === id)) return false
        await store.saveRules([redactDeep(record.value, redactor)])
        return true
      }
      case 'summary': {
        const { projectId, id } = record.value
        if ((await store.listSummaries({ projectId, limit: 10_000 })).some((one) => one.id === id)) return false
        await store.saveSummary(redactDeep(record.value, redactor))
        return true
      }
    }
  }

  return {
    async importRecords({ records }) {
      const redactor = await ports.redactors.forWorktree(undefined)
      // Events of one request are one transaction, wherever they are in it: they depend on nothing else.
      const events = records.flatMap((record) => (record.kind === 'event' ? [record.value] : []))
      let stored = events.length === 0 ? 0 : await storeEvents(events, redactor)
      for (const record of records) {
        if (record.kind === 'event') continue
        try {
          if (await storeRecord(record, redactor)) stored += 1
        } catch (cause) {
          if (cause instanceof HoldfastError && cause.code === 'conflict') continue
          throw cause
        }
      }
      if (stored > 0) announce({ seq: await store.lastSeq(), kind: 'memory', detail: 'imported' })
      return { stored, known: records.length - stored }
    },
  }
}
