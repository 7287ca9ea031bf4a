import type {
  SessionBriefing,
  BriefingInput,
  CheckedEntity,
  ChecklistItem,
  ChecklistView,
  CompleteIntentInput,
  CompleteIntentResult,
  CheckClaimsInput,
  RefutedClaim,
  ForgetEntityInput,
  HistoryHit,
  HistoryInput,
  IntentConflict,
  ListEntitiesInput,
  MarkItemInput,
  ObservedEdit,
  Project,
  ProjectListing,
  ProjectRef,
  RecentSessions,
  RecordIntentInput,
  RecordIntentResult,
  RegisterEntityInput,
  ResolvedProject,
  SaveSummaryInput,
  SaveSummaryResult,
  SessionPhase,
  IntentWithLiveness,
} from '../kernel/agent-records.ts'
import type { ItemRecord } from '../kernel/checklist.ts'

/**
 * The use cases for agents. MCP, CLI and HTTP call these and add no rules; the socket client implements the same
 * interface. A `ProjectRef` names one canonical project.
 */
export interface AgentUseCases {
  /** A known name gets the new root and keeps its keywords. Refuses a root that is not a directory. */
  registerProject(input: { readonly name: string; readonly rootPath: string }): Promise<Project>
  /** Sorted by name. */
  listProjects(): Promise<readonly ProjectListing[]>
  /** Stored in lower case; a known keyword is a no-op. Refuses an unregistered project. */
  addProjectKeyword(input: ProjectRef & { readonly keyword: string }): Promise<Project>
  /** By exact name, then similar name, then path or directory. Refuses an unknown name without a directory. */
  resolveProject(ref: ProjectRef): Promise<ResolvedProject>

  /** Stores the intent, and returns the conflicting ones. */
  recordIntent(input: RecordIntentInput): Promise<RecordIntentResult>
  /** Refuses a session without an intent in this project. */
  completeIntent(input: CompleteIntentInput): Promise<CompleteIntentResult>
  /** Newest first. */
  listIntents(
    input: ProjectRef & { readonly includeCompleted?: boolean; readonly limit: number; readonly offset?: number },
  ): Promise<readonly IntentWithLiveness[]>
  /** Intents of other live sessions on these files; a pre-tool hook warns about them. */
  findConflicts(
    input: ProjectRef & { readonly files: readonly string[]; readonly sessionLabel?: string },
  ): Promise<readonly IntentConflict[]>
  /** Files that live sessions of the project were seen to change, in any of its worktrees; latest edit first. */
  listObservedEdits(ref: ProjectRef): Promise<readonly ObservedEdit[]>

  /** Stored under project, name and type; a known one moves. The result says whether the code has it there. */
  registerEntity(input: RegisterEntityInput): Promise<CheckedEntity>
  /** Registered ones first, then those of the index, most important first; each checked against the current code. */
  listEntities(input: ListEntitiesInput): Promise<readonly CheckedEntity[]>
  /** Deletes entities registered under that name and returns how many. Refuses an unregistered name. */
  forgetEntity(input: ForgetEntityInput): Promise<number>

  /** Stores the summary, then completes the intents when `outcome` is given. */
  saveSummary(input: SaveSummaryInput): Promise<SaveSummaryResult>
  /** Claims in the text that disk, checklist or observed runs refute. Stores nothing. */
  checkClaims(input: CheckClaimsInput): Promise<readonly RefutedClaim[]>
  /** `offset` skips so many intents and summaries. */
  recentSessions(input: ProjectRef & { readonly limit: number; readonly offset?: number }): Promise<RecentSessions>
  /** Summaries, checkpoints, memories and Pieces titles; best match first. */
  searchHistory(input: HistoryInput): Promise<readonly HistoryHit[]>

  /** Items and discrepancies of the project's CHECKLIST.md; undefined when there is none. */
  readChecklist(ref: ProjectRef): Promise<ChecklistView | undefined>
  /** Edits CHECKLIST.md itself and runs nothing. Refuses an unknown item, and `verified`, which needs a command that ran. */
  markItem(input: MarkItemInput): Promise<ChecklistItem>
  /** Stores, redacted, what was marked or verified in a shell. */
  saveItemRecord(input: ProjectRef & { readonly record: ItemRecord }): Promise<void>
  /** What was marked and verified, oldest first. */
  listItemRecords(ref: ProjectRef): Promise<readonly ItemRecord[]>

  briefing(input: BriefingInput): Promise<SessionBriefing>
  /** Stored for the session, for briefings after a compaction. */
  setPhase(input: { readonly sessionLabel: string; readonly phase: SessionPhase }): Promise<void>
  findPhase(sessionLabel: string): Promise<SessionPhase | undefined>
}
