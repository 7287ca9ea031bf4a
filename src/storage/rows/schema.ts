import type { ColumnType, Generated, Selectable } from 'kysely'
import type { EntityType, SessionPhase } from '../../kernel/agent-records.ts'
import type { ItemStatus } from '../../kernel/checklist.ts'
import type { CheckpointTrigger } from '../../kernel/checkpoint.ts'
import type { FindKind } from '../../kernel/archive.ts'
import type { EventKind } from '../../kernel/event.ts'
import type { CheckpointId, EventId, MemoryId, ProjectId, SessionId, SessionKey } from '../../kernel/id.ts'
import type { InjectionKind } from '../../kernel/injection.ts'
import type { DraftState, MemoryScope, MemoryType } from '../../kernel/memory.ts'
import type { WorkItem } from '../../kernel/memory.ts'
import type {
  ErasedIdsTable,
  MachinesTable,
  RecordVersionsTable,
  TakenWorkTable,
  TombstonesTable,
} from './record-tables.ts'
import type { Rule } from '../../kernel/rule.ts'
import type { SyncTopic } from '../../kernel/ports/sync-store.ts'
import type { Phase } from '../../kernel/session.ts'

/** Assigned by the database, or explicitly when rows are salvaged. */
type Serial = ColumnType<number, number | undefined, never>

/** The log. `body` is the canonical JSON of the event; `hash` covers `prev_hash` and `body`. */
interface EventsTable {
  seq: number
  id: EventId
  session_id: SessionId
  kind: EventKind
  at: string
  prev_hash: string
  hash: string
  body: string
}

/**
 * One row: the end of the log, updated in the transaction that appends, so that `seq` has no gaps on any database; and the
 * anchor, the last pruned event, updated in the transaction that prunes: the remaining log follows it.
 */
interface LogHeadTable {
  id: number
  seq: number
  hash: string
  anchor_seq: Generated<number>
  anchor_hash: Generated<string>
}

/**
 * `body` is the session; the other columns are for lookups. `order_seq` sorts by newest: any event of
 * the session's newest unbroken run gives the same order, so it changes only when a run starts.
 */
interface SessionsTable {
  id: SessionId
  session_key: SessionKey
  harness: string
  project_id: ProjectId | null
  worktree: string | null
  phase: Phase
  pid: number | null
  process_started_at: string | null
  last_event_seq: number
  body: string
  order_seq: number
}

/** The columns of the Session Continuity Protocol under its names, and later additions. `body` is the checkpoint; `hash` covers it. */
interface CheckpointsTable {
  seq: Serial
  id: CheckpointId
  session_id: SessionId
  session_key: SessionKey
  harness: string
  project: string
  project_normalized: string
  project_id: ProjectId
  worktree: string
  branch: string | null
  head: string | null
  trigger: CheckpointTrigger
  name: string | null
  task: string | null
  summary: string
  digest: string
  prompt_count: number
  memory_queries: string
  recent_remembers: string
  parent_id: CheckpointId | null
  event_seq: number
  created_at: string
  /** 0: never pruned (saved by name, or the newest of its session). 1: pruned first. 2: pruned next. */
  prune_rank: number
  hash: string
  body: string
}

/** How many checkpoints a session has, and how many of them may be pruned, so that the limit needs no scan. */
interface CheckpointCountsTable {
  session_id: SessionId
  total: number
  prunable: number
}

interface MemoriesTable {
  row_id: Serial
  id: MemoryId
  project_id: ProjectId
  type: MemoryType
  content: string
  importance: number
  tags: string
  source: string
  session_id: SessionId | null
  created_at: string
  supersedes: MemoryId | null
  superseded_by: MemoryId | null
  hits: number
  last_hit_at: string | null
  evidence: string | null
  anchors: string | null
  /** Null: `project`. */
  scope: MemoryScope | null
  /** Null: written in this home, by its owner. */
  principal: string | null
  machine: string | null
  machine_name: string | null
}

/** `body` is the memory; `hash` covers it. */
interface MemoryDraftsTable {
  row_id: Serial
  id: MemoryId
  project_id: ProjectId
  session_id: SessionId | null
  state: DraftState
  at: string
  hash: string
  body: string
}

interface ArchiveItemsTable {
  row_id: Serial
  event_seq: number
  session_id: SessionId
  project_id: ProjectId | null
  harness: string
  kind: FindKind
  at: string
  text: string
}

/** One row: the newest event in the archive, and its size in characters. */
interface ArchiveStateTable {
  id: number
  seq: number
  chars: number
}

interface WorkSnapshotsTable {
  session_id: SessionId
  event_seq: number
  transcript_offset: number
  state: string
}

interface InjectionsTable {
  seq: Serial
  session_id: SessionId
  at: string
  kind: InjectionKind
  epoch: number
  chars: number
  text_hash: string
  sources: string
  reasons: string
}

interface SightingsTable {
  harness: string
  harness_version: string
  hook: string
  count: number
  last_seen_at: string
}

interface ProjectsTable {
  name: string
  root_path: string
  project_id: ProjectId
  added_at: string
}

interface ProjectKeywordsTable {
  project: string
  keyword: string
}

interface IntentsTable {
  seq: Serial
  id: string
  project_id: ProjectId
  worktree: string
  session_label: string
  session_id: SessionId | null
  intent: string
  files: string
  started_at: string
  completed_at: string | null
  outcome: string | null
}

interface EntitiesTable {
  project_id: ProjectId
  name: string
  type: EntityType
  file: string
  line: number | null
  last_seen_at: string
}

interface SessionSummariesTable {
  seq: Serial
  id: string
  project_id: ProjectId
  worktree: string
  session_label: string | null
  session_id: SessionId | null
  summary: string
  files_changed: string
  entities_registered: string
  checklist_progress: string
  saved_at: string
}

interface SessionPhasesTable {
  session_label: string
  phase: SessionPhase
  at: string
}

/** `run` is the verification as JSON. */
interface ChecklistRecordsTable {
  seq: Serial
  id: string
  project_id: ProjectId
  item_id: string
  section: string
  item_text: string
  status: ItemStatus
  note: string | null
  marked_by: string
  at: string
  run: string | null
}

/** `body` is the receipt; `hash` covers it. Rebuilt from the events while those exist. */
interface ReceiptsTable {
  session_id: SessionId
  epoch: number
  project_id: ProjectId
  started_at: string
  start_seq: number
  hash: string
  body: string
}

/** What search finds besides memories; rebuilt from checkpoints and summaries. `terms` are those of `text`, in order. */
interface WorkItemsTable {
  row_id: Serial
  project_id: ProjectId
  kind: WorkItem['kind']
  item_id: string
  work_key: string
  session_id: SessionId | null
  title: string
  text: string
  terms: string
  files: string
  at: string
}

/** `remote` is the first of `remotes`, for finding several locations of one repository. Times are for display, not for ordering. */
interface ProjectLocationsTable {
  machine_id: string
  location: string
  project_id: ProjectId
  remote: string | null
  remotes: string
  stamp: string | null
  root_commit: string | null
  commits: string
  moved_from: string | null
  last_seen_at: string
  /** As JSON; null: of this home. */
  origin: string | null
}

/** One row: the owner of a store that several homes can open. */
interface StoreOwnerTable {
  id: number
  person_id: string
  person_name: string
  claimed_at: string
}

interface RulesTable {
  row_id: Serial
  id: string
  project_id: ProjectId
  text: string
  since: string
  state: Rule['state']
  source: Rule['source']
  scope: Rule['scope']
  session_id: SessionId | null
  event_id: EventId | null
  superseded_by: string | null
  retired_at: string | null
  /** As JSON; null: of this home. */
  origin: string | null
}

/** `body` is JSON. */
interface SyncEntriesTable {
  topic: SyncTopic
  space: string
  name: string
  body: string
}

interface MigrationsTable {
  name: string
  applied_at: Generated<string>
}

export interface Tables {
  events: EventsTable
  log_head: LogHeadTable
  sessions: SessionsTable
  session_checkpoints: CheckpointsTable
  checkpoint_counts: CheckpointCountsTable
  memories: MemoriesTable
  memory_drafts: MemoryDraftsTable
  archive_items: ArchiveItemsTable
  archive_state: ArchiveStateTable
  work_snapshots: WorkSnapshotsTable
  injections: InjectionsTable
  sightings: SightingsTable
  projects: ProjectsTable
  project_keywords: ProjectKeywordsTable
  session_intents: IntentsTable
  entities: EntitiesTable
  session_summaries: SessionSummariesTable
  session_phases: SessionPhasesTable
  checklist_records: ChecklistRecordsTable
  receipts: ReceiptsTable
  work_items: WorkItemsTable
  project_locations: ProjectLocationsTable
  store_owner: StoreOwnerTable
  rules: RulesTable
  record_versions: RecordVersionsTable
  machines: MachinesTable
  tombstones: TombstonesTable
  erased_ids: ErasedIdsTable
  taken_work: TakenWorkTable
  sync_entries: SyncEntriesTable
  schema_migrations: MigrationsTable
}

export type EventRow = Selectable<EventsTable>
export type MemoryRow = Selectable<MemoriesTable>
export type IntentRow = Selectable<IntentsTable>
export type EntityRow = Selectable<EntitiesTable>
export type ChecklistRecordRow = Selectable<ChecklistRecordsTable>
export type ReceiptRow = Selectable<ReceiptsTable>
export type WorkItemRow = Selectable<WorkItemsTable>
export type ArchiveRow = Selectable<ArchiveItemsTable>
export type LocationRow = Selectable<ProjectLocationsTable>
export type RuleRow = Selectable<RulesTable>
export type SummaryRow = Selectable<SessionSummariesTable>
