import type { Entity, EntityType, Intent, PiecesSession, Project, SessionPhase, SessionSummary } from './records.ts'
import type { ChecklistEvidence, KeptItemRecord } from '../kernel/checklist.ts'
import type { ProjectId } from '../kernel/id.ts'

export const CHECKLIST_STATUSES = ['pending', 'in_progress', 'done', 'blocked', 'verified'] as const
export type ChecklistStatus = (typeof CHECKLIST_STATUSES)[number]

export interface ChecklistItem {
  /** Survives edits above and below. */
  readonly id: string
  readonly section: string
  readonly text: string
  readonly status: ChecklistStatus
  /** 1-based. */
  readonly line: number
  readonly note?: string
}

/** An item that is ticked, and what was seen that says otherwise. */
export interface ChecklistDiscrepancy {
  readonly itemId: string
  readonly text: string
  readonly because: string
}

export interface ChecklistView {
  readonly path: string
  readonly modifiedAt: string
  readonly items: readonly ChecklistItem[]
  readonly discrepancies: readonly ChecklistDiscrepancy[]
}

export interface ItemChange {
  /** An item's id, or its text. */
  readonly item: string
  readonly status: ChecklistStatus
  readonly note?: string
  /** Who says so. */
  readonly by?: string
  readonly verification?: { readonly command: string; readonly expect?: string }
}

/** The project's one checklist. */
export interface Checklists {
  /** Undefined when the root has no CHECKLIST.md. Never throws. */
  read(rootPath: string): Promise<ChecklistView | undefined>
  /** What was marked and verified in the project of this root. */
  evidence(rootPath: string): Promise<ChecklistEvidence>
  /** Edits the file itself; refuses what is not there. */
  mark(rootPath: string, change: ItemChange): Promise<ChecklistItem>
}

export const PAIR_STATES = ['matched', 'no-json', 'mismatched', 'missing'] as const
/** Whether PROJECT_INDEX.md and .json belong together. */
export type PairState = (typeof PAIR_STATES)[number]

export interface IndexView {
  /** The Markdown half; empty when missing. */
  readonly text: string
  readonly pair: PairState
  /** As the pair itself tells it, else the file's own time. */
  readonly generatedAt?: string
  /** What does not fit together, in words, when mismatched. */
  readonly detail?: string
}

export interface IndexedSymbol {
  readonly name: string
  readonly type: EntityType
  /** Relative to the root. */
  readonly file: string
  readonly line: number
}

export interface IndexedSymbols {
  /** Absent without an index. */
  readonly generatedAt?: string
  readonly symbols: readonly IndexedSymbol[]
}

/** The consume-only map of the code. */
export interface Codemap {
  /** Reads, never writes. Never throws. */
  indexState(rootPath: string): Promise<IndexView>
  /** Every definition in the index, the most important file's first; none without an index that can be read. Never throws. */
  symbols(rootPath: string): Promise<IndexedSymbols>
}

export interface CommitLine {
  /** Abbreviated. */
  readonly id: string
  readonly at: string
  readonly subject: string
}

export interface GitHistory {
  /** Newest first; undefined outside a repository, without a commit, or when git does not answer in time. */
  log(worktree: string, count: number): Promise<readonly CommitLine[] | undefined>
  /** Files of the worktree, tracked or not ignored, with one of these last names; undefined when git cannot tell. */
  filesNamed(worktree: string, baseNames: readonly string[]): Promise<readonly string[] | undefined>
}

/** Another program's record of what was done on this machine: clean fields only, read and never written. */
export interface LongTermMemory {
  /** Newest first; empty when there is no such program. Never throws. */
  recent(terms: readonly string[], limit: number): Promise<readonly PiecesSession[]>
  /** Titles that hold the text and one of the terms. */
  search(text: string, terms: readonly string[], limit: number): Promise<readonly PiecesSession[]>
}

/** The real path of one that may be gone: its nearest living parent's, with the rest as spelled. */
export type RealPath = (path: string) => Promise<string>

/** A hook that a connector installs, so that its absence can be noticed. */
export interface ExpectedHook {
  readonly harness: string
  readonly hook: string
  /** Fires in every session that gets a prompt. */
  readonly isRoutine: boolean
}

export interface IntentQuery {
  readonly projectId: ProjectId
  readonly sessionLabel?: string
  readonly isOpen?: boolean
  readonly limit: number
}

/** What the agent's door keeps; part of the store. Every promise that resolves is durable. */
export interface DoorStore {
  /** Inserts by name; a known one gets the new root, and keeps its keywords and the time it was added. */
  keepProject(project: Omit<Project, 'keywords'>): Promise<void>
  /** A known keyword is a no-op. */
  keepKeyword(projectName: string, keyword: string): Promise<void>
  /** By name; keywords in order too. */
  listProjects(): Promise<readonly Project[]>

  keepIntent(intent: Intent): Promise<void>
  /** Completes the open intents of a session. Returns how many. */
  completeIntents(input: {
    readonly projectId: ProjectId
    readonly sessionLabel: string
    readonly completedAt: string
    readonly outcome?: string
  }): Promise<number>
  /** Newest first, by the store's order. */
  listIntents(query: IntentQuery): Promise<readonly Intent[]>

  /** Inserts or replaces by project, name and type. */
  keepEntity(entity: Entity): Promise<void>
  /** By name, and by type when there is one. Returns how many there were. */
  deleteEntities(query: {
    readonly projectId: ProjectId
    readonly name: string
    readonly type?: EntityType
  }): Promise<number>
  /** By type, then name. */
  listEntities(query: {
    readonly projectId: ProjectId
    readonly type?: EntityType
    readonly limit: number
  }): Promise<readonly Entity[]>

  keepSummary(summary: SessionSummary): Promise<void>
  /** Newest first, by the store's order. */
  listSummaries(query: { readonly projectId: ProjectId; readonly limit: number }): Promise<readonly SessionSummary[]>

  /** In one transaction and in this order; a known id is a no-op. The newest of each project stay when there are too many. */
  keepChecklistRecords(records: readonly KeptItemRecord[]): Promise<void>
  /** The newest ones, oldest first, by the store's order. */
  listChecklistRecords(query: {
    readonly projectId: ProjectId
    readonly limit: number
  }): Promise<readonly KeptItemRecord[]>

  keepPhase(input: { readonly sessionLabel: string; readonly phase: SessionPhase; readonly at: string }): Promise<void>
  findPhase(sessionLabel: string): Promise<SessionPhase | undefined>
}
