import type { Entity, EntityType, Intent, SessionSummary } from '../agent-records.ts'
import type { MemoryId, ProjectId, SessionId } from '../id.ts'
import type { KnownLocation } from '../location.ts'
import type { MemoryDraft } from '../memory.ts'
import type { Rule } from '../rule.ts'
import type { Session } from '../session.ts'

/** Kinds of records that can change: of two versions of one, all machines choose the same. */
export const CHANGING_KINDS = [
  'location',
  'session',
  'labels',
  'memory',
  'rule',
  'entity',
  'intent',
  'checkpoint',
] as const
export type ChangingKind = (typeof CHANGING_KINDS)[number]

/** Instead of a hash: it was deleted, and that has a version; or it was deleted, and has none yet. */
export const DELETED = 'deleted'
export const JUST_DELETED = ''

/** The version of a record that was last exchanged, or is about to be. */
export interface StoredVersion {
  readonly kind: ChangingKind
  readonly id: string
  readonly projectId?: ProjectId
  /** One more than that of the version that it replaced. */
  readonly count: number
  /** Where this version was made. */
  readonly machine: string
  /** SHA-256 of the content. */
  readonly hash: string
  /** The content, if what it belongs to may arrive later. */
  readonly body?: string
}

/** A home, as others know it: its machine and its person. */
export interface KnownMachine {
  readonly id: string
  readonly name: string
  readonly person: { readonly id: string; readonly name: string }
  /** Ed25519, SPKI in DER, base64. */
  readonly publicKey?: string
}

/** What was erased, by digests of ids: nothing of it is stored again. Signed by the machine that erased it. */
export interface Tombstone {
  readonly id: string
  readonly erased: 'session' | 'project' | 'person'
  /** SHA-256 of the kind and the id of each erased thing. */
  readonly digests: readonly string[]
  readonly at: string
  readonly machine: string
  readonly principal: string
  readonly publicKey: string
  /** Over the canonical JSON of all other fields. */
  readonly signature: string
}

/** What identifies something without an id of its own. Its digest is its id in a version. */
export function listKeyParts(
  thing: Pick<Entity, 'projectId' | 'type' | 'name'> | Pick<KnownLocation, 'projectId' | 'machineId' | 'location'>,
): string {
  return 'machineId' in thing
    ? ['location', thing.machineId, thing.location, thing.projectId].join('\n')
    : ['entity', thing.projectId, thing.type, thing.name].join('\n')
}

/** The user decided which session the next one in this worktree continues. */
export interface TakenWork {
  readonly worktree: string
  readonly sessionId: SessionId
  /** The end of the log then: a session that continued it later has used it up. */
  readonly seq: number
  readonly at: string
}

/** What export, import and synchronisation need of the store. */
export interface RecordStore {
  findVersions(kind: ChangingKind, ids: readonly string[]): Promise<readonly StoredVersion[]>
  saveVersions(versions: readonly StoredVersion[]): Promise<void>
  /** What was deleted, by kind and id; of all projects unless some are given. */
  listDeleted(query: { readonly projectIds?: readonly ProjectId[] }): Promise<readonly StoredVersion[]>

  /** Stores a session of another home: what its own machine says of it; our own positions stay. */
  saveReceivedSession(session: Session): Promise<void>
  /** Stores it, or what changed. */
  saveReceivedIntent(intent: Intent): Promise<void>
  findRule(id: string): Promise<Rule | undefined>
  findIntent(id: string): Promise<Intent | undefined>
  findSummary(id: string): Promise<SessionSummary | undefined>
  findDraft(id: MemoryId): Promise<MemoryDraft | undefined>
  findEntity(key: {
    readonly projectId: ProjectId
    readonly type: EntityType
    readonly name: string
  }): Promise<Entity | undefined>
  /** Of this very project, without those of its repository's other locations. */
  listOwnEntities(projectId: ProjectId): Promise<readonly Entity[]>
  deleteLocation(known: Pick<KnownLocation, 'machineId' | 'location' | 'projectId'>): Promise<void>
  /** Projects with a session, a memory or anything else, sorted. */
  listProjectIds(): Promise<readonly ProjectId[]>
  /** Sessions that have checkpoints and no row of their own, such as those of a handoff. */
  listSessionsOfCheckpointsOnly(projectIds?: readonly ProjectId[]): Promise<readonly SessionId[]>

  /** One for each worktree; the last one is in force. */
  saveTakenWork(taken: TakenWork): Promise<void>
  findTakenWork(worktree: string): Promise<TakenWork | undefined>
  /** True if there was one. */
  deleteTakenWork(worktree: string): Promise<boolean>

  saveMachine(machine: KnownMachine): Promise<void>
  listMachines(): Promise<readonly KnownMachine[]>

  saveTombstone(tombstone: Tombstone): Promise<void>
  listTombstones(): Promise<readonly Tombstone[]>
  /** Which of these digests were erased. */
  findErased(digests: readonly string[]): Promise<readonly string[]>
}
