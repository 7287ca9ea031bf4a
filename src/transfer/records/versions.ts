import { canonicalJson } from '../../kernel/json-shape.ts'
import {
  type ChangingKind,
  DELETED,
  JUST_DELETED,
  listKeyParts,
  type StoredVersion,
} from '../../kernel/ports/record-store.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { ChangingRecord, RecordVersion } from './record.ts'

/** What a version belongs to. */
export interface RecordKey extends Pick<StoredVersion, 'kind' | 'id' | 'projectId'> {}

export interface ContentVersion extends RecordVersion {
  readonly hash: string
}

export function identifyRecord(record: ChangingRecord, sha256: (text: string) => string): RecordKey {
  switch (record.kind) {
    case 'location':
    case 'entity':
      return { kind: record.kind, id: sha256(listKeyParts(record.value)), projectId: record.value.projectId }
    case 'session':
      return { kind: 'session', id: record.value.id, projectId: record.value.place?.projectId }
    case 'labels':
      return { kind: 'labels', id: record.value.sessionId }
    case 'memory':
    case 'rule':
    case 'intent':
      return { kind: record.kind, id: record.value.id, projectId: record.value.projectId }
    case 'deletion':
      return { kind: record.value.of, id: record.value.id, projectId: record.value.projectId }
  }
}

export function hashRecord(record: ChangingRecord, sha256: (text: string) => string): string {
  return record.kind === 'deletion' ? DELETED : sha256(canonicalJson(record.value))
}

function isLater(one: ContentVersion, other: ContentVersion): boolean {
  if (one.count !== other.count) return one.count > other.count
  if (one.machine !== other.machine) return one.machine > other.machine
  return one.hash > other.hash
}

/**
 * The version of what is stored now. A change that was made here since the version was noted is a new one. Undefined for what
 * is neither stored nor was deleted.
 */
export function findVersion(
  noted: StoredVersion | undefined,
  /** Of the stored content; undefined if there is none. */
  hash: string | undefined,
  machine: string,
): ContentVersion | undefined {
  const next = (content: string) => ({ count: (noted?.count ?? 0) + 1, machine, hash: content })
  if (hash !== undefined) return noted?.hash === hash ? noted : next(hash)
  if (noted?.hash === JUST_DELETED) return next(DELETED)
  // Missing without having been deleted: a damaged row, or one that was too old. That is not a fact about it.
  return noted?.hash === DELETED ? noted : undefined
}

/** Whether what arrives replaces what is known. Without a version it only fills a gap. */
export function isReplacedBy(
  known: ContentVersion | undefined,
  hash: string,
  version: RecordVersion | undefined,
): boolean {
  if (known === undefined) return true
  return version !== undefined && isLater({ ...version, hash }, known)
}

export interface RecordVersions {
  /** Each with its version, of which those that are new are stored. */
  addVersions(records: readonly ChangingRecord[]): Promise<readonly ChangingRecord[]>
}

export function createRecordVersions({ store, machine, sha256 }: ContinuityPorts): RecordVersions {
  async function findNoted(keys: readonly RecordKey[]): Promise<ReadonlyMap<string, StoredVersion>> {
    const found = new Map<string, StoredVersion>()
    const byKind = new Map<ChangingKind, string[]>()
    for (const { kind, id } of keys) byKind.set(kind, [...(byKind.get(kind) ?? []), id])
    for (const [kind, ids] of byKind)
      for (const version of await store.findVersions(kind, ids)) found.set(`${kind}\n${version.id}`, version)
    return found
  }

  return {
    async addVersions(records) {
      const keys = records.map((record) => identifyRecord(record, sha256))
      const noted = await findNoted(keys)
      const changed: StoredVersion[] = []
      const versioned = records.map((record, index): ChangingRecord => {
        const key = keys[index] ?? identifyRecord(record, sha256)
        const before = noted.get(`${key.kind}\n${key.id}`)
        const hash = record.kind === 'deletion' ? undefined : hashRecord(record, sha256)
        const found = findVersion(before, hash, machine.id)
        // A deletion whose version was replaced meanwhile.
        if (found === undefined) return record
        if (before?.hash !== found.hash || before.count !== found.count)
          changed.push({ ...key, count: found.count, machine: found.machine, hash: found.hash })
        return { ...record, version: { count: found.count, machine: found.machine } }
      })
      if (changed.length > 0) await store.saveVersions(changed)
      return versioned
    },
  }
}
