import type { Entity, EntityType, Intent, Project, SessionPhase, SessionSummary } from '../agent-records.ts'
import type { StoredItemRecord } from '../checklist.ts'
import type { ProjectId } from '../id.ts'

export interface IntentQuery {
  readonly projectId: ProjectId
  readonly sessionLabel?: string
  readonly isOpen?: boolean
  readonly limit: number
  /** Skips so many. */
  readonly offset?: number | undefined
}

/** The agent API's part of the store. What a resolved promise wrote is durable. */
export interface AgentStore {
  /** Inserts by name; a known project gets the new root, and keeps its keywords and the time it was added. */
  saveProject(project: Omit<Project, 'keywords'>): Promise<void>
  /** A known keyword is a no-op. */
  saveKeyword(projectName: string, keyword: string): Promise<void>
  /** Sorted by name; keywords too. */
  listProjects(): Promise<readonly Project[]>

  saveIntent(intent: Intent): Promise<void>
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
  saveEntity(entity: Entity): Promise<void>
  /** By name, and by type if given. Returns how many. */
  deleteEntities(query: {
    readonly projectId: ProjectId
    readonly name: string
    readonly type?: EntityType
  }): Promise<number>
  /** Sorted by type, then name. */
  listEntities(query: {
    readonly projectId: ProjectId
    readonly type?: EntityType
    readonly limit: number
  }): Promise<readonly Entity[]>

  saveSummary(summary: SessionSummary): Promise<void>
  /** Newest first, by the store's order. */
  listSummaries(query: {
    readonly projectId: ProjectId
    readonly limit: number
    readonly offset?: number | undefined
  }): Promise<readonly SessionSummary[]>

  /** In one transaction and in this order; a known id is a no-op. Keeps only the newest of each project. */
  saveChecklistRecords(records: readonly StoredItemRecord[]): Promise<void>
  /** The newest ones, oldest first, by the store's order. */
  listChecklistRecords(query: {
    readonly projectId: ProjectId
    readonly limit: number
  }): Promise<readonly StoredItemRecord[]>

  savePhase(input: { readonly sessionLabel: string; readonly phase: SessionPhase; readonly at: string }): Promise<void>
  findPhase(sessionLabel: string): Promise<SessionPhase | undefined>
}
