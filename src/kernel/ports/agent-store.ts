import type { Entity, EntityType, Intent, Project, SessionPhase, SessionSummary } from '../agent-records.ts'
import type { KeptItemRecord } from '../checklist.ts'
import type { ProjectId } from '../id.ts'

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
