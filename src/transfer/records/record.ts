import type { Entity, Intent, SessionSummary } from '../../kernel/agent-records.ts'
import type { Checkpoint } from '../../kernel/checkpoint.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { ProjectId, SessionId } from '../../kernel/id.ts'
import type { KnownLocation, Location, MachineRef, Origin } from '../../kernel/location.ts'
import type { Memory } from '../../kernel/memory.ts'
import type { ChangingKind, KnownMachine, Tombstone } from '../../kernel/ports/record-store.ts'
import type { Rule } from '../../kernel/rule.ts'
import type { Session, SessionLabels } from '../../kernel/session.ts'

/** An event with where and on which machine it happened. */
export interface RecordedEvent {
  readonly event: SessionEvent
  readonly place?: Location
  readonly machine?: MachineRef
}

/** What its own machine says of a session. Processes, files and positions in the log of a machine do not travel. */
export interface RecordedSession
  extends Omit<
    Session,
    | 'transcriptPath'
    | 'process'
    | 'machine'
    | 'origin'
    | 'projectSince'
    | 'lastEventSeq'
    | 'promptsSinceCheckpoint'
    | 'hasNewWork'
    | 'lastCheckpointAt'
    | 'epoch'
    | 'recoveredEpoch'
    | 'labels'
  > {
  readonly origin: Origin
}

export interface RecordedLabels {
  readonly sessionId: SessionId
  readonly labels: SessionLabels
}

export interface RecordedDeletion {
  readonly of: ChangingKind
  /** The id, or the digest of what identifies it. */
  readonly id: string
  readonly projectId?: ProjectId
}

/** Orders the versions of one record: by count, then machine, then content; never by the clock. */
export interface RecordVersion {
  readonly count: number
  readonly machine: string
}

interface ChangeRecord<Kind extends ChangingKind | 'deletion', Value> {
  readonly kind: Kind
  readonly value: Value
  /** Absent in files written before versions existed: such a record is stored only if none is known. */
  readonly version?: RecordVersion
}

/** A record whose content can change. */
export type ChangingRecord =
  | ChangeRecord<'location', KnownLocation>
  | ChangeRecord<'session', RecordedSession>
  | ChangeRecord<'labels', RecordedLabels>
  | ChangeRecord<'memory', Memory>
  | ChangeRecord<'rule', Rule>
  | ChangeRecord<'entity', Entity>
  | ChangeRecord<'intent', Intent>
  | ChangeRecord<'deletion', RecordedDeletion>

/** One fact of the store, as it is written to a file. Any order and number of arrivals gives the same state. */
export type DataRecord =
  | ChangingRecord
  | { readonly kind: 'machine'; readonly value: KnownMachine }
  | { readonly kind: 'event'; readonly value: RecordedEvent }
  | { readonly kind: 'checkpoint'; readonly value: Checkpoint }
  | { readonly kind: 'summary'; readonly value: SessionSummary }
  | { readonly kind: 'tombstone'; readonly value: Tombstone }

/** Written at the beginning of a file. */
export const RECORD_FORMAT = 'holdfast-export/2'
/** Those that are read. */
export const RECORD_FORMATS = ['holdfast-export/1', RECORD_FORMAT] as const
