import type { SessionEvent } from '../../kernel/event.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import { redactCheckpoint, redactMemory } from '../../redaction/redact-checkpoint.ts'
import { redactDeep } from '../../redaction/redact-deep.ts'
import { redactEvent } from '../../redaction/redact-event.ts'
import type { ChangingRecord, DataRecord, RecordedLabels, RecordedSession } from './record.ts'

/** Facts that only the machine of the event can look up: its process and its files. */
export function withoutLocalFacts(event: SessionEvent): SessionEvent {
  return { ...event, process: undefined, transcriptPath: undefined }
}

export function isChanging(record: DataRecord): record is ChangingRecord {
  switch (record.kind) {
    case 'location':
    case 'session':
    case 'labels':
    case 'memory':
    case 'rule':
    case 'entity':
    case 'intent':
    case 'deletion':
      return true
    case 'machine':
    case 'event':
    case 'checkpoint':
    case 'summary':
    case 'tombstone':
      return false
  }
}

/** Leaves keys, signatures and digests as they are: they are not secret, and changed ones would prove nothing. */
function redactWords(record: DataRecord, redactor: Redactor): DataRecord {
  switch (record.kind) {
    case 'event':
      return { ...record, value: { ...record.value, event: redactEvent(record.value.event, redactor) } }
    case 'checkpoint':
      return { ...record, value: redactCheckpoint(record.value, redactor) }
    case 'memory':
      return { ...record, value: redactMemory(record.value, redactor) }
    case 'location':
    case 'session':
    case 'labels':
    case 'rule':
    case 'entity':
    case 'intent':
    case 'summary':
      return redactDeep(record, redactor)
    case 'machine':
    case 'deletion':
    case 'tombstone':
      return record
  }
}

/** Ids, names and keys have one line; the author of the file may have put a private key there. */
export function redactRecord<Kind extends DataRecord>(record: Kind, redactor: Redactor): Kind
export function redactRecord(record: DataRecord, redactor: Redactor): DataRecord {
  return redactDeep(redactWords(record, redactor), redactor, { areNamesOurs: true, isForLinesOnly: true })
}

// Written by `JSON.stringify` of such a value.

export function readRecordedSession(body: string): RecordedSession {
  return JSON.parse(body)
}

export function readRecordedLabels(body: string): RecordedLabels {
  return JSON.parse(body)
}
