import { canonicalJson } from '../kernel/json-shape.ts'
import type { MachineRef } from '../kernel/location.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import { isChanging } from '../transfer/records/redact-record.ts'
import { type ContentVersion, hashRecord, identifyRecord, isReplacedBy } from '../transfer/records/versions.ts'

type Hash = (text: string) => string

/** The content of a sealed batch. */
export interface BatchContent {
  readonly format: typeof BATCH_FORMAT
  readonly machine: MachineRef
  readonly records: readonly DataRecord[]
}

export const BATCH_FORMAT = 'holdfast-batch/1'

/** A record with the repository that it belongs to. */
export interface RoutedRecord {
  readonly record: DataRecord
  readonly repository: string
  /** It withdraws what was shared: sent only if this machine sent the thing before. */
  readonly isWithdrawal?: boolean
}

/** The kind and the id of the thing. A deletion has the key of what was deleted. */
export function getRecordKey(record: DataRecord, sha256: Hash): string {
  if (isChanging(record)) {
    const { kind, id } = identifyRecord(record, sha256)
    return `${kind}:${id}`
  }
  return record.kind === 'event' ? `event:${record.value.event.id}` : `${record.kind}:${record.value.id}`
}

/** Events and checkpoints are sent in the order in which they were recorded; everything else when it is new or has changed. */
export function isHistory({ kind }: DataRecord): boolean {
  return kind === 'event' || kind === 'checkpoint'
}

/** The version of a thing, by which a machine knows whether a space has it. */
export function getVersion(record: DataRecord, sha256: Hash): ContentVersion {
  if (!isChanging(record)) return { count: 0, machine: '', hash: sha256(canonicalJson(record.value)) }
  return { count: 0, machine: '', ...record.version, hash: hashRecord(record, sha256) }
}

/** Whether the space does not have this version or a later one. What has no versions is compared by its content. */
export function isMissingThere(known: ContentVersion | undefined, version: ContentVersion): boolean {
  if (known !== undefined && known.count === 0 && version.count === 0) return known.hash !== version.hash
  return isReplacedBy(known, version.hash, version)
}
